// SPDX-License-Identifier: Apache-2.0
// Policies, the block of public access, and access control lists, of which there are none.
#include "services/s3/buckets/policy_operations.h"

#include "services/s3/buckets/bucket_policy.h"
#include "services/s3/buckets/setting_column.h"
#include "services/s3/errors.h"
#include "services/s3/operations.h"
#include "shapes/s3/bucket.h"
#include "shapes/s3/bucket_unset.h"

namespace services::s3 {
namespace {

constexpr char kPolicy[] = "policy", kAccessBlock[] = "access_block";

wire::ApiError no_policy(const Bucket& bucket) {
  return not_set("NoSuchBucketPolicy", "The bucket policy does not exist", bucket);
}

bool blocks_public_policy(const Bucket& bucket) {
  if (!bucket.access_block) return false;
  return from_json<shape::PublicAccessBlockConfiguration>(*bucket.access_block).BlockPublicPolicy.value_or(false);
}

}  // namespace

// The owner's whatever the policy says: who wrote one that denies everybody everything can take it
// back. So there is no lock-out to be confirmed by x-amz-confirm-remove-self-bucket-access.
void put_bucket_policy(Call& call, const shape::PutBucketPolicyRequest& request) {
  const Bucket bucket = find_bucket(call, request.Bucket, {.action = "s3:PutBucketPolicy", .owners_only = true},
                                    request.ExpectedBucketOwner);
  check_bucket_policy(request.Policy, bucket.name);
  if (blocks_public_policy(bucket) && read_bucket_policy(request.Policy).is_public) {
    throw wire::ApiError("AccessDenied", "User: " + call.caller.arn() +
                                             " is not authorized to perform: s3:PutBucketPolicy on resource: \"" +
                                             bucket.arn() +
                                             "\" because public policies are blocked by the BlockPublicPolicy block "
                                             "public access setting.");
  }
  write_setting(call.tx, bucket, kPolicy, request.Policy);
}

shape::GetBucketPolicyOutput get_bucket_policy(Call& call, const shape::GetBucketPolicyRequest& request) {
  Bucket bucket = find_bucket(call, request.Bucket, {.action = "s3:GetBucketPolicy", .owners_only = true},
                              request.ExpectedBucketOwner);
  if (!bucket.policy) throw no_policy(bucket);
  return {std::move(bucket.policy)};
}

void delete_bucket_policy(Call& call, const shape::DeleteBucketPolicyRequest& request) {
  const Bucket bucket = find_bucket(call, request.Bucket, {.action = "s3:DeleteBucketPolicy", .owners_only = true},
                                    request.ExpectedBucketOwner);
  write_setting(call.tx, bucket, kPolicy, std::nullopt);
}

shape::GetBucketPolicyStatusOutput get_bucket_policy_status(Call& call,
                                                            const shape::GetBucketPolicyStatusRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:GetBucketPolicyStatus"}, request.ExpectedBucketOwner);
  if (!bucket.policy) throw no_policy(bucket);
  return {shape::PolicyStatus{.IsPublic = read_bucket_policy(*bucket.policy).is_public}};
}

void put_public_access_block(Call& call, const shape::PutPublicAccessBlockRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:PutBucketPublicAccessBlock"}, request.ExpectedBucketOwner);
  const shape::PublicAccessBlockConfiguration& asked = request.PublicAccessBlockConfiguration;
  const shape::PublicAccessBlockConfiguration block{
      asked.BlockPublicAcls.value_or(false), asked.IgnorePublicAcls.value_or(false),
      asked.BlockPublicPolicy.value_or(false), asked.RestrictPublicBuckets.value_or(false)};
  write_setting(call.tx, bucket, kAccessBlock, to_json(block));
}

shape::GetPublicAccessBlockOutput get_public_access_block(Call& call,
                                                          const shape::GetPublicAccessBlockRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:GetBucketPublicAccessBlock"}, request.ExpectedBucketOwner);
  if (!bucket.access_block) {
    throw not_set("NoSuchPublicAccessBlockConfiguration", "The public access block configuration was not found", bucket);
  }
  return {from_json<shape::PublicAccessBlockConfiguration>(*bucket.access_block)};
}

void delete_public_access_block(Call& call, const shape::DeletePublicAccessBlockRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:PutBucketPublicAccessBlock"}, request.ExpectedBucketOwner);
  write_setting(call.tx, bucket, kAccessBlock, std::nullopt);
}

// The one list that there is where ownership is enforced: the owner's, with everything.
shape::GetBucketAclOutput get_bucket_acl(Call& call, const shape::GetBucketAclRequest& request) {
  const Bucket bucket = find_bucket(call, request.Bucket, {.action = "s3:GetBucketAcl"}, request.ExpectedBucketOwner);
  const std::string owner = canonical_id(bucket.account);
  const shape::Grantee grantee{.ID = owner, .Type = "CanonicalUser"};
  return {.Owner = shape::Owner{.ID = owner}, .Grants = {{shape::Grant{grantee, "FULL_CONTROL"}}}};
}

void put_bucket_acl(Call& call, const shape::PutBucketAclRequest& request) {
  find_bucket(call, request.Bucket, {.action = "s3:PutBucketAcl"}, request.ExpectedBucketOwner);
  throw wire::ApiError("AccessControlListNotSupported", "The bucket does not allow ACLs");
}

std::vector<ObjectOperation> policy_operations() {
  return {
      operation<&put_bucket_policy>("PutBucketPolicy", Access::Write, with_status(shape::kPutBucketPolicyHttp, 204)),
      operation<&get_bucket_policy>("GetBucketPolicy", Access::Read, shape::kGetBucketPolicyHttp),
      operation<&delete_bucket_policy>("DeleteBucketPolicy", Access::Write, shape::kDeleteBucketPolicyHttp),
      operation<&get_bucket_policy_status>("GetBucketPolicyStatus", Access::Read, shape::kGetBucketPolicyStatusHttp),
      operation<&put_public_access_block>("PutPublicAccessBlock", Access::Write, shape::kPutPublicAccessBlockHttp),
      operation<&get_public_access_block>("GetPublicAccessBlock", Access::Read, shape::kGetPublicAccessBlockHttp),
      operation<&delete_public_access_block>("DeletePublicAccessBlock", Access::Write,
                                             shape::kDeletePublicAccessBlockHttp),
      operation<&get_bucket_acl>("GetBucketAcl", Access::Read, shape::kGetBucketAclHttp),
      operation<&put_bucket_acl>("PutBucketAcl", Access::Write, shape::kPutBucketAclHttp),
  };
}

}  // namespace services::s3
