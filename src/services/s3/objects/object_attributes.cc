// SPDX-License-Identifier: Apache-2.0
#include "services/s3/objects/object_attributes.h"

#include <algorithm>

#include "services/s3/checksums.h"
#include "services/s3/errors.h"
#include "services/s3/limits.h"
#include "services/s3/objects/object_access.h"
#include "services/s3/operations.h"
#include "services/s3/page_number.h"

namespace services::s3 {
namespace {

shape::GetObjectAttributesParts parts_of(Call& call, const shape::GetObjectAttributesRequest& request,
                                         const Object& object) {
  const std::int32_t most = std::min(page_number(request.MaxParts, kMaxPage, "max-parts"), kMaxPage);
  const std::int32_t marker = page_number(request.PartNumberMarker, 0, "part-number-marker");
  // Parts are shown where the whole's checksum is made of theirs.
  if (object.checksum->type != kComposite) return {.TotalPartsCount = static_cast<std::int32_t>(object.parts)};
  std::vector<shape::ObjectPart> parts;
  const base::Checksum kind = checksum_kind(object.checksum->kind);
  call.tx.query("SELECT number, size, checksum FROM s3_object_parts WHERE object = $1 AND number > $2"
                " ORDER BY number LIMIT $3",
                object.id, marker, most + 1)
      .each([&](const store::Row& row) {
        shape::ObjectPart part{.PartNumber = static_cast<std::int32_t>(row.integer(0)), .Size = row.integer(1)};
        if (!row.is_null(2)) checksum_member(part, kind) = row.str(2);
        parts.push_back(std::move(part));
      });
  const bool more = std::ssize(parts) > most;
  if (more) parts.resize(static_cast<std::size_t>(most));
  shape::GetObjectAttributesParts shown{.TotalPartsCount = static_cast<std::int32_t>(object.parts),
                                        .PartNumberMarker = marker,
                                        .NextPartNumberMarker = parts.empty() ? 0 : *parts.back().PartNumber,
                                        .MaxParts = most,
                                        .IsTruncated = more};
  if (!parts.empty()) shown.Parts = std::move(parts);
  return shown;
}

}  // namespace

shape::GetObjectAttributesOutput get_object_attributes(Call& call, const shape::GetObjectAttributesRequest& request) {
  if (request.SSECustomerAlgorithm || request.SSECustomerKey || request.SSECustomerKeyMD5) {
    throw invalid_request("The encryption parameters are not applicable to this object.");
  }
  const Target target{request.Bucket, request.Key, request.VersionId, request.ExpectedBucketOwner};
  find_object_bucket(call, target, "s3:GetObject", "s3:GetObjectVersion");
  const Bucket bucket =
      find_object_bucket(call, target, "s3:GetObjectAttributes", "s3:GetObjectVersionAttributes");
  const Object object = find_object(call, bucket, request.Key, request.VersionId);
  auto wants = [&](std::string_view name) {
    return std::find(request.ObjectAttributes.begin(), request.ObjectAttributes.end(), name) !=
           request.ObjectAttributes.end();
  };
  shape::GetObjectAttributesOutput output{.LastModified = object.modified_at,
                                          .VersionId = shown_version(bucket, object)};
  if (wants("ETag")) output.ETag = object.etag;
  if (wants("StorageClass")) output.StorageClass = object.headers.StorageClass.value_or("STANDARD");
  if (wants("ObjectSize")) output.ObjectSize = object.size;
  if (wants("Checksum") && object.checksum) {
    output.Checksum.emplace();
    StoredChecksum shown = *object.checksum;
    shown.value = shown.value.substr(0, shown.value.find('-'));  // how many parts it is of is told with the parts
    show_checksum(*output.Checksum, shown);
  }
  if (wants("ObjectParts") && object.parts > 0) output.ObjectParts = parts_of(call, request, object);
  return output;
}

std::vector<ObjectOperation> object_attributes_operations() {
  return {
      operation<&get_object_attributes>("GetObjectAttributes", Access::Read, shape::kGetObjectAttributesHttp),
  };
}

}  // namespace services::s3
