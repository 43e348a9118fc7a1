// SPDX-License-Identifier: Apache-2.0
// The tags of buckets.
#pragma once

#include <vector>

#include "services/call.h"
#include "services/s3/buckets/bucket_row.h"
#include "services/s3/shape.h"
#include "shapes/s3/bucket.h"
#include "shapes/s3/bucket_settings.h"

namespace services::s3 {

// Replaces all tags; an empty list removes the tag set. Throws InvalidTag.
void set_bucket_tags(store::Tx& tx, const Bucket& bucket, const std::vector<shapes::s3::Tag>& tags);

void put_bucket_tagging(Call& call, const shape::PutBucketTaggingRequest& request);
shape::GetBucketTaggingOutput get_bucket_tagging(Call& call, const shape::GetBucketTaggingRequest& request);
void delete_bucket_tagging(Call& call, const shape::DeleteBucketTaggingRequest& request);

}  // namespace services::s3
