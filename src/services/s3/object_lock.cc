// SPDX-License-Identifier: Apache-2.0
// What Amazon says of locks on objects in a bucket that has no Object Lock, as none has here.
#include "services/s3/handlers.h"
#include "services/s3/object_access.h"
#include "services/s3/object_headers.h"

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

}  // namespace services::s3
