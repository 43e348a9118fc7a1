// SPDX-License-Identifier: Apache-2.0
// The tags of buckets.
#pragma once

#include <vector>

#include "services/s3/bucket.h"
#include "shapes/s3/bucket.h"

namespace services::s3 {

// In the place of those that it has; none: it has no tag set any more. Throws InvalidTag.
void set_bucket_tags(store::Tx& tx, const Bucket& bucket, const std::vector<shapes::s3::Tag>& tags);

}  // namespace services::s3
