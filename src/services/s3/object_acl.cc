// SPDX-License-Identifier: Apache-2.0
// Objects have no lists of their own: each is its bucket's owner's, as where Amazon has ACLs disabled,
// which is its default.
#include "services/s3/errors.h"
#include "services/s3/handlers.h"
#include "services/s3/object_access.h"

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

}  // namespace services::s3
