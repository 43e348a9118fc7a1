// SPDX-License-Identifier: Apache-2.0
// CreateMultipartUpload and AbortMultipartUpload.
#include "services/s3/uploads/create_upload.h"

#include "base/bytes.h"
#include "services/s3/buckets/lifecycle_rules.h"
#include "services/s3/errors.h"
#include "services/s3/objects/lock_rules.h"
#include "services/s3/objects/object_headers.h"
#include "services/s3/objects/object_tags.h"
#include "services/s3/operations.h"
#include "services/s3/quota.h"
#include "services/s3/uploads/upload_row.h"

namespace services::s3 {
namespace {

// Only CRCs of parts combine to that of the whole object, and CRC64NVME has no composite form.
std::string type_of_checksum(const shape::CreateMultipartUploadRequest& request) {
  if (!request.ChecksumAlgorithm) {
    if (request.ChecksumType) {
      throw invalid_request("The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.");
    }
    return kFullObject;
  }
  const base::Checksum kind = checksum_kind(*request.ChecksumAlgorithm);
  const bool only_full = kind == base::Checksum::Crc64Nvme;
  if (!request.ChecksumType) return only_full ? kFullObject : kComposite;
  const bool full = *request.ChecksumType == kFullObject;
  if ((full && !is_crc(kind)) || (!full && only_full)) {
    throw invalid_request("The " + *request.ChecksumType + " checksum type cannot be used with the " +
                          lower_checksum_name(kind) + " checksum algorithm.");
  }
  return *request.ChecksumType;
}

}  // namespace

shape::CreateMultipartUploadOutput create_multipart_upload(Call& call,
                                                           const shape::CreateMultipartUploadRequest& request) {
  OpenUpload upload;
  if (request.Tagging) upload.tags = read_tag_header(*request.Tagging);
  const Bucket bucket = find_object_bucket(call, {request.Bucket, request.Key, kNoVersion, request.ExpectedBucketOwner},
                                           "s3:PutObject", "s3:PutObject", write_context(request, upload.tags));
  // Whatever the policy allows: an anonymous upload would have no initiator.
  if (call.caller.anonymous()) {
    throw wire::ApiError("AccessDenied", "Anonymous users cannot initiate multipart uploads.  Please authenticate.");
  }
  check_may_tag(call, bucket, request.Key, upload.tags);
  check_acl(bucket, acl_headers(request));
  check_quota(call, bucket.account, {.objects = 1});
  upload.bucket = bucket.id;
  upload.owner = bucket.account;
  upload.key = request.Key;
  upload.initiated_at = call.now;
  upload.account = call.caller.account;
  upload.checksum_kind = request.ChecksumAlgorithm;
  upload.checksum_type = type_of_checksum(request);
  upload.headers = read_headers(request);
  upload.lock = stated_lock(call, bucket, request.Key, lock_headers(request));
  insert_upload(call, upload);

  shape::CreateMultipartUploadOutput output;
  if (auto due = upload_abort(call, bucket, upload.key, upload.initiated_at)) {
    output.AbortDate = due->at;
    output.AbortRuleId = due->rule;
  }
  output.Bucket = request.Bucket;
  output.Key = request.Key;
  output.UploadId = upload.text();
  output.ServerSideEncryption = kEncryption;
  // The default algorithm is not shown until the object exists.
  output.ChecksumAlgorithm = upload.checksum_kind;
  if (upload.checksum_kind) output.ChecksumType = upload.checksum_type;
  return output;
}

shape::AbortMultipartUploadOutput abort_multipart_upload(Call& call, const shape::AbortMultipartUploadRequest& request) {
  if (request.IfMatchInitiatedTime) throw header_not_implemented("x-amz-if-match-initiated-time");
  const Bucket bucket = find_object_bucket(call, {request.Bucket, request.Key, kNoVersion, request.ExpectedBucketOwner},
                                           "s3:AbortMultipartUpload", "s3:AbortMultipartUpload");
  delete_upload(call, bucket, find_upload(call.tx, bucket, request.Key, request.UploadId).id);
  return {};
}

std::vector<ObjectOperation> create_upload_operations() {
  return {
      operation<&create_multipart_upload>("CreateMultipartUpload", Access::Write, shape::kCreateMultipartUploadHttp),
      operation<&abort_multipart_upload>("AbortMultipartUpload", Access::Write, shape::kAbortMultipartUploadHttp),
  };
}

}  // namespace services::s3
