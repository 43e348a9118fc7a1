// SPDX-License-Identifier: Apache-2.0
// The rules for tags of buckets and objects.
#pragma once

#include <vector>

#include "shapes/s3/bucket.h"

namespace services::s3 {

// Throws InvalidTag for invalid keys and values, and for a duplicate key.
void check_tags(const std::vector<shapes::s3::Tag>& tags);

}  // namespace services::s3
