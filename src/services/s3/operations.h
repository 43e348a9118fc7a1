// SPDX-License-Identifier: Apache-2.0
// The rows of S3's table: each source exports those of its own handlers, and module.cc joins them.
#pragma once

#include <vector>

#include "services/s3/object_operation.h"

namespace services::s3 {

// buckets
std::vector<ObjectOperation> bucket_operations();
std::vector<ObjectOperation> bucket_tagging_operations();
std::vector<ObjectOperation> bucket_settings_operations();
std::vector<ObjectOperation> cors_operations();
std::vector<ObjectOperation> policy_operations();
std::vector<ObjectOperation> lock_configuration_operations();
std::vector<ObjectOperation> unset_settings_operations();
std::vector<ObjectOperation> lifecycle_operations();
std::vector<ObjectOperation> notification_operations();
std::vector<ObjectOperation> unset_configuration_operations();

// objects
std::vector<ObjectOperation> put_object_operations();
std::vector<ObjectOperation> post_object_operations();
std::vector<ObjectOperation> get_object_operations();
std::vector<ObjectOperation> object_attributes_operations();
std::vector<ObjectOperation> delete_object_operations();
std::vector<ObjectOperation> copy_object_operations();
std::vector<ObjectOperation> object_tagging_operations();
std::vector<ObjectOperation> object_lock_operations();
std::vector<ObjectOperation> object_acl_operations();
std::vector<ObjectOperation> list_objects_operations();
std::vector<ObjectOperation> list_versions_operations();

// uploads
std::vector<ObjectOperation> create_upload_operations();
std::vector<ObjectOperation> upload_part_operations();
std::vector<ObjectOperation> upload_part_copy_operations();
std::vector<ObjectOperation> complete_upload_operations();
std::vector<ObjectOperation> list_parts_operations();
std::vector<ObjectOperation> list_uploads_operations();

}  // namespace services::s3
