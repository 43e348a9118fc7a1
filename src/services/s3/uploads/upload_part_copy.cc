// SPDX-License-Identifier: Apache-2.0
#include "services/s3/uploads/upload_part_copy.h"

#include "base/bytes.h"
#include "services/s3/errors.h"
#include "services/s3/limits.h"
#include "services/s3/objects/copy_source.h"
#include "services/s3/objects/object_headers.h"
#include "services/s3/operations.h"
#include "services/s3/uploads/upload_row.h"
#include "services/s3/whole_seconds.h"

namespace services::s3 {
namespace {

struct PartCopyPlan {
  OpenUpload upload;
  FoundSource source;
  Range range;
};

Range range_of(const shape::UploadPartCopyRequest& request, const Object& source) {
  const auto size = static_cast<std::uint64_t>(source.size);
  const Range range = request.CopySourceRange ? parse_copy_range(*request.CopySourceRange, size) : Range{0, size};
  if (range.length > kMaxPutBytes) {
    throw invalid_request("The specified copy source is larger than the maximum allowable size for a copy source: " +
                          std::to_string(kMaxPutBytes));
  }
  return range;
}

PartCopyPlan plan_part_copy(Call& call, const shape::UploadPartCopyRequest& request) {
  check_part_number(request.PartNumber);
  check_customer_key(request.SSECustomerAlgorithm, request.SSECustomerKey);
  check_customer_key(request.CopySourceSSECustomerAlgorithm, request.CopySourceSSECustomerKey);
  const CopySource named = parse_copy_source(request.CopySource);
  const Bucket bucket = find_object_bucket(call, {request.Bucket, request.Key, kNoVersion, request.ExpectedBucketOwner},
                                           "s3:PutObject", "s3:PutObject", {{"s3:x-amz-copy-source", request.CopySource}});
  PartCopyPlan plan{find_upload(call.tx, bucket, request.Key, request.UploadId),
            find_source(call, named, request.ExpectedSourceBucketOwner, source_conditions(request)),
            {}};
  plan.range = range_of(request, plan.source.object);
  return plan;
}

}  // namespace

void prepare_upload_part_copy(ObjectCall& call, const shape::UploadPartCopyRequest& request) {
  const PartCopyPlan plan = plan_part_copy(call, request);
  call.spool.checksums = {plan.upload.checksum()};
  spool_source(call, plan.source.object, plan.range);
}

shape::UploadPartCopyOutput upload_part_copy(ObjectCall& call, const shape::UploadPartCopyRequest& request) {
  const PartCopyPlan plan = plan_part_copy(call, request);
  check_spooled(call, plan.source.object, plan.range);
  const auto size = static_cast<std::int64_t>(call.upload->size);
  const auto former = make_room(call, plan.upload, request.PartNumber, size);
  UploadedPart part{.number = request.PartNumber,
                    .modified_at = call.now,
                    .size = size,
                    .blob = add_blob(call.tx, *call.upload),
                    .etag = base::to_hex(call.upload->md5),
                    .checksum = base::to_base64(body_checksum(*call.upload, plan.upload.checksum()))};
  put_part(call, plan.upload, part, former);

  shape::CopyPartResult result{.ETag = '"' + part.etag + '"', .LastModified = whole_seconds(part.modified_at)};
  if (plan.upload.checksum_kind) checksum_member(result, plan.upload.checksum()) = part.checksum;
  return {.CopySourceVersionId = new_version(plan.source.object),
          .CopyPartResult = std::move(result),
          .ServerSideEncryption = kEncryption};
}

std::vector<ObjectOperation> upload_part_copy_operations() {
  return {
      with_body<&prepare_upload_part_copy>(
           object_operation<&upload_part_copy>("UploadPartCopy", Access::Write, shape::kUploadPartCopyHttp), Body::Whole),
  };
}

}  // namespace services::s3
