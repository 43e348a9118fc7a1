// SPDX-License-Identifier: Apache-2.0
// What tags may be, of buckets and of objects.
#pragma once

#include <vector>

#include "shapes/s3/bucket.h"

namespace services::s3 {

// Throws InvalidTag for keys and values that are none, and for a key that comes twice.
void check_tags(const std::vector<shapes::s3::Tag>& tags);

}  // namespace services::s3
