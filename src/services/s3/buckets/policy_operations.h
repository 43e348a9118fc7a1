// SPDX-License-Identifier: Apache-2.0
// Operations on a bucket's policy, public access block and ACL.
#pragma once

#include "services/call.h"
#include "services/s3/shape.h"
#include "shapes/s3/bucket_access.h"

namespace services::s3 {

void put_bucket_policy(Call& call, const shape::PutBucketPolicyRequest& request);
shape::GetBucketPolicyOutput get_bucket_policy(Call& call, const shape::GetBucketPolicyRequest& request);
void delete_bucket_policy(Call& call, const shape::DeleteBucketPolicyRequest& request);
shape::GetBucketPolicyStatusOutput get_bucket_policy_status(Call& call,
                                                            const shape::GetBucketPolicyStatusRequest& request);
void put_public_access_block(Call& call, const shape::PutPublicAccessBlockRequest& request);
shape::GetPublicAccessBlockOutput get_public_access_block(Call& call,
                                                          const shape::GetPublicAccessBlockRequest& request);
void delete_public_access_block(Call& call, const shape::DeletePublicAccessBlockRequest& request);
shape::GetBucketAclOutput get_bucket_acl(Call& call, const shape::GetBucketAclRequest& request);
void put_bucket_acl(Call& call, const shape::PutBucketAclRequest& request);

}  // namespace services::s3
