// SPDX-License-Identifier: Apache-2.0
// Operations that create, list, find and delete buckets.
#pragma once

#include "services/call.h"
#include "services/s3/shape.h"
#include "shapes/s3/bucket.h"

namespace services::s3 {

shape::CreateBucketOutput create_bucket(Call& call, const shape::CreateBucketRequest& request);
shape::HeadBucketOutput head_bucket(Call& call, const shape::HeadBucketRequest& request);
shape::ListBucketsOutput list_buckets(Call& call, const shape::ListBucketsRequest& request);
void delete_bucket(Call& call, const shape::DeleteBucketRequest& request);
shape::GetBucketLocationOutput get_bucket_location(Call& call, const shape::GetBucketLocationRequest& request);

}  // namespace services::s3
