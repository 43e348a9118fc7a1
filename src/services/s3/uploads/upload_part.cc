// SPDX-License-Identifier: Apache-2.0
#include "services/s3/uploads/upload_part.h"

#include "base/bytes.h"
#include "services/s3/errors.h"
#include "services/s3/limits.h"
#include "services/s3/objects/object_headers.h"
#include "services/s3/operations.h"
#include "services/s3/uploads/upload_row.h"

namespace services::s3 {
namespace {

wire::ApiError other_checksum(const OpenUpload& upload, const std::string& actual) {
  return invalid_request("Checksum Type mismatch occurred, expected checksum Type: " +
                         lower_checksum_name(upload.checksum()) + ", actual checksum Type: " + actual);
}

OpenUpload find_part_upload(Call& call, const shape::UploadPartRequest& request) {
  const Bucket bucket = find_object_bucket(call, {request.Bucket, request.Key, kNoVersion, request.ExpectedBucketOwner},
                                           "s3:PutObject", "s3:PutObject");
  return find_upload(call.tx, bucket, request.Key, request.UploadId);
}

}  // namespace

PartPlan prepare_upload_part(ObjectCall& call, const shape::UploadPartRequest& request) {
  check_part_number(request.PartNumber);
  check_customer_key(request.SSECustomerAlgorithm, request.SSECustomerKey);
  check_md5_text(request.ContentMD5);
  const OpenUpload upload = find_part_upload(call, request);
  PartPlan plan{claim_of(claimed_values(request), request.ChecksumAlgorithm)};
  if (plan.claim && upload.checksum_kind && plan.claim->kind != upload.checksum()) {
    throw other_checksum(upload, lower_checksum_name(plan.claim->kind));
  }
  call.spool.checksums = {upload.checksum()};
  if (plan.claim) call.spool.checksums.insert(plan.claim->kind);
  call.spool.max_bytes = kMaxPutBytes;
  return plan;
}

shape::UploadPartOutput upload_part(ObjectCall& call, const shape::UploadPartRequest& request, const PartPlan& plan) {
  CHECK(call.upload) << "UploadPart without a body";
  const OpenUpload upload = find_part_upload(call, request);
  const BodyChecksum stated = check_body(*call.upload, request.ContentMD5, plan.claim, upload.checksum());
  if (upload.checksum_kind && (!stated.claimed || stated.kind != upload.checksum())) {
    throw other_checksum(upload, stated.claimed ? lower_checksum_name(stated.kind) : "null");
  }
  const auto size = static_cast<std::int64_t>(call.upload->size);
  const auto former = make_room(call, upload, request.PartNumber, size);
  UploadedPart part{.number = request.PartNumber,
                    .modified_at = call.now,
                    .size = size,
                    .blob = add_blob(call.tx, *call.upload),
                    .etag = base::to_hex(call.upload->md5),
                    .checksum = base::to_base64(body_checksum(*call.upload, upload.checksum()))};
  put_part(call, upload, part, former);

  shape::UploadPartOutput output{.ServerSideEncryption = kEncryption, .ETag = '"' + part.etag + '"'};
  checksum_member(output, stated.kind) = stated.value;
  return output;
}

std::vector<ObjectOperation> upload_part_operations() {
  return {
      with_body<&prepare_upload_part>(
          object_operation<&upload_part>("UploadPart", Access::Write, shape::kUploadPartHttp), Body::Spooled),
  };
}

}  // namespace services::s3
