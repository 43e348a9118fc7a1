// SPDX-License-Identifier: Apache-2.0
// CompleteMultipartUpload: the object takes over its parts' blobs, in order. No byte is copied.
#include "services/s3/uploads/complete_upload.h"

#include <algorithm>
#include <map>

#include "base/bytes.h"
#include "base/hash.h"
#include "services/s3/buckets/lifecycle_rules.h"
#include "services/s3/errors.h"
#include "services/s3/events.h"
#include "services/s3/limits.h"
#include "services/s3/objects/conditions.h"
#include "services/s3/objects/lock_rules.h"
#include "services/s3/objects/object_headers.h"
#include "services/s3/operations.h"
#include "services/s3/uploads/upload_row.h"

namespace services::s3 {
namespace {

using CompleteRequest = shape::CompleteMultipartUploadRequest;

std::string_view without_quotes(std::string_view etag) {
  if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"') etag = etag.substr(1, etag.size() - 2);
  return etag;
}

wire::ApiError invalid_part(const CompleteRequest& request, const shape::CompletedPart& part) {
  return wire::ApiError("InvalidPart",
                        "One or more of the specified parts could not be found.  The part may not have been uploaded, "
                        "or the specified entity tag may not match the part's entity tag.")
      .with("UploadId", request.UploadId)
      .with("PartNumber", std::to_string(part.PartNumber.value_or(0)))
      .with("ETag", std::string(without_quotes(part.ETag.value_or(""))));
}

wire::ApiError too_small(const UploadedPart& part) {
  return wire::ApiError("EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size")
      .with("ProposedSize", std::to_string(part.size))
      .with("MinSizeAllowed", std::to_string(kMinPartBytes))
      .with("PartNumber", std::to_string(part.number))
      .with("ETag", part.etag);
}

wire::ApiError not_in_order(const CompleteRequest& request) {
  return wire::ApiError("InvalidPartOrder",
                        "The list of parts was not in ascending order. Parts must be ordered by part number.")
      .with("UploadId", request.UploadId);
}

void check_list(const CompleteRequest& request) {
  if (!request.MultipartUpload) throw invalid_request("You must specify at least one part");
  if (!request.MultipartUpload->Parts || request.MultipartUpload->Parts->empty() ||
      std::ssize(*request.MultipartUpload->Parts) > kMaxPartNumber) {
    throw malformed_xml();
  }
  std::int32_t last = 0;
  for (const shape::CompletedPart& part : *request.MultipartUpload->Parts) {
    if (!part.PartNumber || !part.ETag) throw malformed_xml();
    if (*part.PartNumber < 1) throw invalid_argument("PartNumber must be >= 1", "PartNumber");
    check_part_number(*part.PartNumber);
    if (*part.PartNumber <= last) throw not_in_order(request);
    last = *part.PartNumber;
  }
}

// Checks a part's checksum where the list states one. A composite checksum needs one for each part.
void check_part_checksum(const CompleteRequest& request, const OpenUpload& upload, const shape::CompletedPart& named,
                         const UploadedPart& part) {
  auto claim = claim_of(claimed_values(named), std::nullopt);
  if (!claim) {
    if (upload.checksum_type != kComposite) return;
    const std::string kind = lower_checksum_name(upload.checksum());
    throw invalid_request("The upload was created using a " + kind +
                          " checksum. The complete request must include the checksum for each part. It was missing "
                          "for part " + std::to_string(part.number) + " in the request.");
  }
  if (claim->kind != upload.checksum() && upload.checksum_type == kComposite) {
    throw wire::ApiError("BadDigest", "The " + lower_checksum_name(claim->kind) + " you specified for part " +
                                          std::to_string(part.number) + " did not match what we received.");
  }
  // An upload without a stated algorithm accepts parts with any, but stores only the default one.
  if (claim->kind != upload.checksum() || *claim->value != part.checksum) throw invalid_part(request, named);
}

struct Parts {
  std::vector<UploadedPart> named;  // in order
  std::vector<UploadedPart> left;   // the other parts
};

// Finds the listed parts, and throws where one is missing or does not match.
Parts find_parts(Call& call, const CompleteRequest& request, const OpenUpload& upload) {
  static const std::string sql = std::string(kSelectParts) + " WHERE upload = $1 ORDER BY number";
  std::map<std::int64_t, UploadedPart> uploaded;
  call.tx.query(sql, upload.id).each([&](const store::Row& row) {
    UploadedPart part = read_part(row);
    uploaded.emplace(part.number, std::move(part));
  });
  const auto& named = *request.MultipartUpload->Parts;
  Parts parts;
  for (const shape::CompletedPart& one : named) {
    auto found = uploaded.find(*one.PartNumber);
    if (found == uploaded.end() || without_quotes(*one.ETag) != found->second.etag) throw invalid_part(request, one);
    check_part_checksum(request, upload, one, found->second);
    parts.named.push_back(std::move(found->second));
    uploaded.erase(found);
  }
  // A composite checksum does not show which part is missing, so S3 requires the numbers 1, 2, 3 and so on.
  for (std::size_t i = 0; i < parts.named.size() && upload.checksum_type == kComposite; ++i) {
    if (parts.named[i].number != static_cast<std::int64_t>(i + 1)) throw not_in_order(request);
  }
  for (std::size_t i = 0; i + 1 < parts.named.size(); ++i) {
    if (static_cast<std::uint64_t>(parts.named[i].size) < kMinPartBytes) throw too_small(parts.named[i]);
  }
  for (auto& [number, part] : uploaded) parts.left.push_back(std::move(part));
  return parts;
}

std::string etag_of(const std::vector<UploadedPart>& parts) {
  std::string digests;
  for (const UploadedPart& part : parts) digests += base::from_hex(part.etag).value_or("");
  return base::to_hex(base::md5(digests)) + "-" + std::to_string(parts.size());
}

StoredChecksum checksum_of(const OpenUpload& upload, const std::vector<UploadedPart>& parts) {
  std::vector<PartChecksum> sums;
  for (const UploadedPart& part : parts) sums.push_back({part.checksum, static_cast<std::uint64_t>(part.size)});
  const base::Checksum kind = upload.checksum();
  return {std::string(checksum_name(kind)), upload.checksum_type,
          upload.checksum_type == kComposite ? composite_checksum(kind, sums) : full_object_checksum(kind, sums)};
}

wire::ApiError not_the_whole(const OpenUpload& upload) {
  return wire::ApiError("BadDigest", "The " + lower_checksum_name(upload.checksum()) +
                                         " you specified did not match the calculated checksum.");
}

// Amazon accepts a checksum only with its type, unless the algorithm has only one.
void check_full_object(const CompleteRequest& request, const OpenUpload& upload, const Object& object) {
  const ClaimedValues values = claimed_values(request);
  auto is_stated = [](const std::optional<std::string>* value) { return value->has_value(); };
  if (std::none_of(std::begin(values.members), std::end(values.members), is_stated)) return;
  const bool typed = request.ChecksumType || upload.checksum() == base::Checksum::Crc64Nvme;
  if (!typed || checksum_member(request, upload.checksum()) != object.checksum->value) throw not_the_whole(upload);
}

// Checks what the request states of the whole object.
void check_whole(const CompleteRequest& request, const OpenUpload& upload, const Object& object) {
  const std::string mode = upload.checksum_kind ? upload.checksum_type : "null";
  if (request.ChecksumType && *request.ChecksumType != mode) {
    throw invalid_request("The upload was created using the " + mode +
                          " checksum mode. The complete request must use the same checksum mode.");
  }
  if (request.MpuObjectSize && *request.MpuObjectSize != object.size) {
    throw invalid_request("The provided 'x-amz-mp-object-size' header value " + std::to_string(*request.MpuObjectSize) +
                          " does not match what was computed: " + std::to_string(object.size));
  }
  if (!upload.checksum_kind) return;  // Amazon ignores a checksum that the upload did not announce
  if (upload.checksum_type != kComposite) return check_full_object(request, upload, object);
  // A composite value may have its suffix, the number of parts.
  const std::string suffix = "-" + std::to_string(object.parts);
  ClaimedValues values = claimed_values(request);
  std::optional<std::string> bare[std::size(values.members)];
  for (std::size_t i = 0; i < std::size(bare); ++i) {
    bare[i] = *values.members[i];
    if (bare[i] && bare[i]->ends_with(suffix)) {
      bare[i]->resize(bare[i]->size() - suffix.size());
    }
    values.members[i] = &bare[i];
  }
  auto claim = claim_of(values, std::nullopt);
  if (!claim) return;
  const std::string& computed = object.checksum->value;
  const bool same = *claim->value == computed || *claim->value + suffix == computed;
  if (claim->kind != upload.checksum() || !same) throw not_the_whole(upload);
}

// Moves the parts from the upload to the object in one statement: there may be ten thousand.
void move_parts(Call& call, const OpenUpload& upload, const std::vector<UploadedPart>& left, std::int64_t object) {
  for (const UploadedPart& part : left) {
    release_blob(call, part.blob);
    call.tx.exec("DELETE FROM s3_parts WHERE upload = $1 AND number = $2", upload.id, part.number);
  }
  call.tx.exec("INSERT INTO s3_object_parts (object, number, start, size, blob, etag, checksum)"
               " SELECT $1, number, CAST(sum(size) OVER (ORDER BY number) - size AS BIGINT), size, blob, etag, checksum"
               " FROM s3_parts WHERE upload = $2",
               object, upload.id);
  call.tx.exec("DELETE FROM s3_parts WHERE upload = $1", upload.id);
  call.tx.exec("DELETE FROM s3_uploads WHERE id = $1", upload.id);
}

// Of the upload and its parts.
Usage usage_of(const Parts& parts) {
  Usage usage{.objects = 1};
  for (const auto* list : {&parts.named, &parts.left}) {
    for (const UploadedPart& part : *list) usage += {.bytes = part.size, .objects = 1};
  }
  return usage;
}

shape::CompleteMultipartUploadOutput shown(Call& call, const Bucket& bucket, const Object& object) {
  shape::CompleteMultipartUploadOutput output;
  output.Location = call.caller.endpoint + "/" + bucket.name + "/" + base::percent_encode(object.key, true);
  output.Bucket = bucket.name;
  output.Key = object.key;
  output.ETag = object.quoted_etag();
  output.Expiration = expiration_header(call, bucket, object);
  output.ServerSideEncryption = kEncryption;
  output.VersionId = new_version(object);
  show_checksum(output, *object.checksum);
  return output;
}

// A condition that holds is not enough where the key was written or deleted since the upload began.
void check_undisturbed(const CompleteRequest& request, const OpenUpload& upload, const std::optional<LatestSummary>& standing) {
  if (!standing || standing->modified_at <= upload.initiated_at) return;
  throw wire::ApiError("ConditionalRequestConflict",
                       "The conditional request cannot succeed due to a conflicting operation against this resource.")
      .with("Condition", request.IfMatch ? "If-Match" : "If-None-Match")
      .with("Key", request.Key);
}

// The object that this upload became, where it is still the latest: a client that missed the response repeats the
// request, and Amazon repeats the response.
std::optional<Object> completed_before(Call& call, const Bucket& bucket, const CompleteRequest& request) {
  auto row_id = parse_row_id(request.UploadId);
  auto latest = row_id ? load_latest(call.tx, bucket, request.Key) : std::nullopt;
  return latest && latest->upload == row_id->id ? latest : std::nullopt;
}

}  // namespace

shape::CompleteMultipartUploadOutput complete_multipart_upload(Call& call, const CompleteRequest& request) {
  check_customer_key(request.SSECustomerAlgorithm, request.SSECustomerKey);
  const WriteConditions conditions{request.IfMatch, request.IfNoneMatch};
  check_condition_texts(conditions);
  const Bucket bucket = find_object_bucket(call, {request.Bucket, request.Key, kNoVersion, request.ExpectedBucketOwner},
                                           "s3:PutObject", "s3:PutObject");
  if (auto object = completed_before(call, bucket, request)) return shown(call, bucket, *object);
  OpenUpload upload = find_upload(call.tx, bucket, request.Key, request.UploadId);
  check_list(request);
  const Parts all = find_parts(call, request, upload);
  const std::vector<UploadedPart>& parts = all.named;

  Object object;
  object.key = upload.key;
  object.modified_at = call.now;
  for (const UploadedPart& part : parts) object.size += part.size;
  object.etag = etag_of(parts);
  object.parts = std::ssize(parts);
  object.upload = upload.id;
  object.checksum = checksum_of(upload, parts);
  object.headers = std::move(upload.headers);
  object.tags = std::move(upload.tags);
  object.lock = with_default_retention(bucket, std::move(upload.lock), call.now);
  check_whole(request, upload, object);
  auto standing = load_latest_summary(call.tx, bucket, request.Key);
  check_write(conditions, request.Key, standing);
  if (conditions.any()) check_undisturbed(request, upload, standing);
  put_version(call, bucket, standing, object);
  move_parts(call, upload, all.left, object.id);
  add_usage(call.tx, bucket.account, -usage_of(all));
  publish_event(call, bucket, "ObjectCreated:CompleteMultipartUpload", object);
  return shown(call, bucket, object);
}

std::vector<ObjectOperation> complete_upload_operations() {
  return {
      operation<&complete_multipart_upload>("CompleteMultipartUpload", Access::Write,
                                            shape::kCompleteMultipartUploadHttp),
  };
}

}  // namespace services::s3
