// SPDX-License-Identifier: Apache-2.0
// The rows of S3's table: each source exports those of its own handlers, and module.cc joins them.
#pragma once

#include <vector>

#include "services/operation.h"

namespace services::s3 {

// buckets
std::vector<Operation> bucket_operations();
std::vector<Operation> bucket_tagging_operations();
std::vector<Operation> bucket_settings_operations();
std::vector<Operation> cors_operations();
std::vector<Operation> policy_operations();
std::vector<Operation> unset_settings_operations();
std::vector<Operation> lifecycle_operations();
std::vector<Operation> notification_operations();
std::vector<Operation> unset_configuration_operations();

// objects
std::vector<Operation> put_object_operations();
std::vector<Operation> post_object_operations();
std::vector<Operation> get_object_operations();
std::vector<Operation> object_attributes_operations();
std::vector<Operation> delete_object_operations();
std::vector<Operation> copy_object_operations();
std::vector<Operation> object_tagging_operations();
std::vector<Operation> object_lock_operations();
std::vector<Operation> object_acl_operations();
std::vector<Operation> list_objects_operations();
std::vector<Operation> list_versions_operations();

// uploads
std::vector<Operation> create_upload_operations();
std::vector<Operation> upload_part_operations();
std::vector<Operation> upload_part_copy_operations();
std::vector<Operation> complete_upload_operations();
std::vector<Operation> list_parts_operations();
std::vector<Operation> list_uploads_operations();

}  // namespace services::s3
