// SPDX-License-Identifier: Apache-2.0
// Objects have no lists of their own: each is its bucket's owner's, as where Amazon has ACLs disabled,
// which is its default.
#include "services/s3/objects/object_acl.h"

#include "services/s3/errors.h"
#include "services/s3/objects/object_access.h"
#include "services/s3/operations.h"
#include "shapes/s3/bucket.h"
#include "shapes/s3/bucket_unset.h"

namespace services::s3 {

shape::GetObjectAclOutput get_object_acl(Call& call, const shape::GetObjectAclRequest& request) {
  const Bucket bucket =
      find_object_bucket(call, {request.Bucket, request.Key, request.VersionId, request.ExpectedBucketOwner},
                         "s3:GetObjectAcl", "s3:GetObjectVersionAcl");
  find_object(call, bucket, request.Key, request.VersionId);
  const std::string owner = canonical_id(bucket.account);
  const shape::Grantee grantee{.ID = owner, .Type = "CanonicalUser"};
  return {.Owner = shape::Owner{.ID = owner}, .Grants = {{shape::Grant{grantee, "FULL_CONTROL"}}}};
}

shape::PutObjectAclOutput put_object_acl(Call& call, const shape::PutObjectAclRequest& request) {
  const Bucket bucket =
      find_object_bucket(call, {request.Bucket, request.Key, request.VersionId, request.ExpectedBucketOwner},
                         "s3:PutObjectAcl", "s3:PutObjectVersionAcl");
  find_live_object(call, bucket, request.Key, request.VersionId);
  throw wire::ApiError("AccessControlListNotSupported", "The bucket does not allow ACLs");
}

std::vector<ObjectOperation> object_acl_operations() {
  return {
      operation<&get_object_acl>("GetObjectAcl", Access::Read, shape::kGetObjectAclHttp),
      operation<&put_object_acl>("PutObjectAcl", Access::Write, shape::kPutObjectAclHttp),
  };
}

}  // namespace services::s3
