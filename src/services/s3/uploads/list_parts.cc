// SPDX-License-Identifier: Apache-2.0
#include "services/s3/uploads/list_parts.h"

#include <algorithm>

#include "services/s3/buckets/lifecycle_rules.h"
#include "services/s3/limits.h"
#include "services/s3/list_request.h"
#include "services/s3/objects/object_headers.h"
#include "services/s3/operations.h"
#include "services/s3/page_number.h"
#include "services/s3/uploads/list_uploads.h"
#include "services/s3/uploads/upload_row.h"
#include "services/s3/whole_seconds.h"

namespace services::s3 {
namespace {

shape::Part shown(const UploadedPart& part, const OpenUpload& upload) {
  shape::Part shown{.PartNumber = static_cast<std::int32_t>(part.number),
                    .LastModified = whole_seconds(part.modified_at),
                    .ETag = '"' + part.etag + '"',
                    .Size = part.size};
  if (upload.checksum_kind) checksum_member(shown, upload.checksum()) = part.checksum;
  return shown;
}

}  // namespace

shape::ListPartsOutput list_parts(Call& call, const shape::ListPartsRequest& request) {
  check_customer_key(request.SSECustomerAlgorithm, request.SSECustomerKey);
  const std::int32_t most = std::min(page_number(request.MaxParts, kMaxPage, "max-parts"), kMaxPage);
  const std::int32_t marker = page_number(request.PartNumberMarker, 0, "part-number-marker");
  const Bucket bucket = find_object_bucket(call, {request.Bucket, request.Key, kNoVersion, request.ExpectedBucketOwner},
                                           "s3:ListMultipartUploadParts", "s3:ListMultipartUploadParts");
  const OpenUpload upload = find_upload(call.tx, bucket, request.Key, request.UploadId);
  static const std::string sql = std::string(kSelectParts) + " WHERE upload = $1 AND number > $2 ORDER BY number LIMIT $3";
  auto parts = call.tx.query(sql, upload.id, marker, most + 1).all(read_part);
  const bool more = std::ssize(parts) > most;
  if (more) parts.resize(static_cast<std::size_t>(most));

  shape::ListPartsOutput output{.Bucket = request.Bucket, .Key = request.Key, .UploadId = request.UploadId};
  if (auto due = upload_abort(call, bucket, upload.key, upload.initiated_at)) {
    output.AbortDate = due->at;
    output.AbortRuleId = due->rule;
  }
  output.PartNumberMarker = marker;
  output.NextPartNumberMarker = parts.empty() ? 0 : static_cast<std::int32_t>(parts.back().number);
  output.MaxParts = most;
  output.IsTruncated = more;
  if (!parts.empty()) output.Parts.emplace();
  for (const UploadedPart& part : parts) output.Parts->push_back(shown(part, upload));
  output.Owner = owner_for(call.caller, bucket);
  if (output.Owner && !upload.account.empty()) output.Initiator = initiator(upload.account);
  output.StorageClass = upload.headers.StorageClass.value_or("STANDARD");
  output.ChecksumAlgorithm = upload.checksum_kind;
  if (upload.checksum_kind) output.ChecksumType = upload.checksum_type;
  return output;
}

std::vector<ObjectOperation> list_parts_operations() {
  return {
      operation<&list_parts>("ListParts", Access::Read, shape::kListPartsHttp),
  };
}

}  // namespace services::s3
