// SPDX-License-Identifier: Apache-2.0
// Operations on a bucket's versioning, encryption and ownership.
#pragma once

#include "services/call.h"
#include "services/s3/shape.h"
#include "shapes/s3/bucket_encryption.h"
#include "shapes/s3/bucket_settings.h"

namespace services::s3 {

void put_bucket_versioning(Call& call, const shape::PutBucketVersioningRequest& request);
shape::GetBucketVersioningOutput get_bucket_versioning(Call& call, const shape::GetBucketVersioningRequest& request);
void put_bucket_encryption(Call& call, const shape::PutBucketEncryptionRequest& request);
shape::GetBucketEncryptionOutput get_bucket_encryption(Call& call, const shape::GetBucketEncryptionRequest& request);
void delete_bucket_encryption(Call& call, const shape::DeleteBucketEncryptionRequest& request);
void put_bucket_ownership_controls(Call& call, const shape::PutBucketOwnershipControlsRequest& request);
shape::GetBucketOwnershipControlsOutput get_bucket_ownership_controls(
    Call& call, const shape::GetBucketOwnershipControlsRequest& request);
void delete_bucket_ownership_controls(Call& call, const shape::DeleteBucketOwnershipControlsRequest& request);

}  // namespace services::s3
