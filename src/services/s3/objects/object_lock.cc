// SPDX-License-Identifier: Apache-2.0
// What Amazon says of locks on objects in a bucket that has no Object Lock, as none has here.
#include "services/s3/objects/object_access.h"
#include "services/s3/objects/object_headers.h"
#include "services/s3/operations.h"
#include "services/s3/shape.h"
#include "shapes/s3/object_lock.h"

namespace services::s3 {
namespace {

template <class Request>
[[noreturn]] void refuse(Call& call, const Request& request, std::string_view action) {
  const Target target{request.Bucket, request.Key, request.VersionId, request.ExpectedBucketOwner};
  find_object_bucket(call, target, action, action);
  refuse_object_lock();
}

}  // namespace

shape::GetObjectLegalHoldOutput get_object_legal_hold(Call& call, const shape::GetObjectLegalHoldRequest& request) {
  refuse(call, request, "s3:GetObjectLegalHold");
}

shape::PutObjectLegalHoldOutput put_object_legal_hold(Call& call, const shape::PutObjectLegalHoldRequest& request) {
  refuse(call, request, "s3:PutObjectLegalHold");
}

shape::GetObjectRetentionOutput get_object_retention(Call& call, const shape::GetObjectRetentionRequest& request) {
  refuse(call, request, "s3:GetObjectRetention");
}

shape::PutObjectRetentionOutput put_object_retention(Call& call, const shape::PutObjectRetentionRequest& request) {
  refuse(call, request, "s3:PutObjectRetention");
}

std::vector<ObjectOperation> object_lock_operations() {
  return {
      operation<&get_object_legal_hold>("GetObjectLegalHold", Access::Read, shape::kGetObjectLegalHoldHttp),
      with_digest(
          operation<&put_object_legal_hold>("PutObjectLegalHold", Access::Write, shape::kPutObjectLegalHoldHttp)),
      operation<&get_object_retention>("GetObjectRetention", Access::Read, shape::kGetObjectRetentionHttp),
      with_digest(
          operation<&put_object_retention>("PutObjectRetention", Access::Write, shape::kPutObjectRetentionHttp)),
  };
}

}  // namespace services::s3
