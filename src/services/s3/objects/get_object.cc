// SPDX-License-Identifier: Apache-2.0
// GetObject and HeadObject, whose responses differ only in the body.
#include "services/s3/objects/get_object.h"

#include "services/s3/buckets/lifecycle_rules.h"
#include "services/s3/checksums.h"
#include "services/s3/errors.h"
#include "services/s3/objects/conditions.h"
#include "services/s3/objects/lock_rules.h"
#include "services/s3/objects/object_headers.h"
#include "services/s3/objects/ranges.h"
#include "services/s3/operations.h"

namespace services::s3 {
namespace {

// The requested range or part.
struct Piece {
  Range range;
  bool partial = false;
  std::optional<ObjectPart> part;  // where the object has parts
};

wire::ApiError invalid_part(std::int64_t number, const Object& object) {
  return wire::ApiError("InvalidPartNumber", "The requested partnumber is not satisfiable")
      .with("PartNumberRequested", std::to_string(number))
      .with("ActualPartCount", std::to_string(std::max<std::int64_t>(object.parts, 1)));
}

Piece whole_of(const Object& object) { return {{0, static_cast<std::uint64_t>(object.size)}}; }

Piece part_of(Call& call, const Object& object, std::int64_t number) {
  Piece piece = whole_of(object);
  if (object.parts == 0) {
    if (number != 1) throw invalid_part(number, object);
  } else {
    piece.part = load_object_part(call.tx, object, number);
    if (!piece.part) throw invalid_part(number, object);
    piece.range = piece.part->range;
  }
  piece.partial = piece.range.length > 0;  // Content-Range cannot express an empty range
  return piece;
}

template <class Request>
Piece piece_of(Call& call, const Object& object, const Request& request) {
  if (request.PartNumber) return part_of(call, object, *request.PartNumber);
  Piece piece = whole_of(object);
  if (!request.Range) return piece;
  auto range = parse_range(*request.Range, piece.range.length);
  if (range) piece = {*range, true, std::nullopt};
  return piece;
}

template <class Request>
void check_request(const Call& call, const Request& request) {
  const bool overrides = request.ResponseCacheControl || request.ResponseContentDisposition ||
                         request.ResponseContentEncoding || request.ResponseContentLanguage ||
                         request.ResponseContentType || request.ResponseExpires;
  if (overrides && call.caller.anonymous()) {
    throw invalid_request("Request specific response headers cannot be used for anonymous GET requests.");
  }
  if (request.Range && request.PartNumber) {
    throw invalid_request("Cannot specify both Range header and partNumber query parameter");
  }
  if (request.PartNumber && (*request.PartNumber < 1 || *request.PartNumber > 10000)) {
    throw invalid_argument("Part number must be an integer between 1 and 10000, inclusive", "partNumber",
                           std::to_string(*request.PartNumber));
  }
  if (request.SSECustomerAlgorithm || request.SSECustomerKey || request.SSECustomerKeyMD5) {
    throw invalid_request("The encryption parameters are not applicable to this object.");
  }
}

// Shows a checksum only where the client can verify it: of the whole object, or of a whole part. Parts have checksums
// of their own where the object's is composite.
template <class Output>
void show_piece_checksum(Output& output, const Object& object, const Piece& piece) {
  if (!object.checksum) return;
  if (object.checksum->type == kComposite && piece.part && piece.part->checksum) {
    show_checksum(output, {object.checksum->kind, object.checksum->type, *piece.part->checksum});
  } else if (!piece.partial || piece.range.length == static_cast<std::uint64_t>(object.size)) {
    show_checksum(output, *object.checksum);
  }
}

template <class Output, class Request>
void override_headers(Output& output, const Request& request) {
  if (request.ResponseCacheControl) output.CacheControl = request.ResponseCacheControl;
  if (request.ResponseContentDisposition) output.ContentDisposition = request.ResponseContentDisposition;
  if (request.ResponseContentEncoding) output.ContentEncoding = request.ResponseContentEncoding;
  if (request.ResponseContentLanguage) output.ContentLanguage = request.ResponseContentLanguage;
  if (request.ResponseContentType) output.ContentType = request.ResponseContentType;
  if (request.ResponseExpires) output.Expires = request.ResponseExpires;
}

template <class Output>
struct Reading {
  Object object;
  Piece piece;
  Output output;
};

template <class Output, class Request>
Reading<Output> read_object(ObjectCall& call, const Request& request) {
  check_request(call, request);
  const Bucket bucket =
      find_object_bucket(call, {request.Bucket, request.Key, request.VersionId, request.ExpectedBucketOwner},
                         "s3:GetObject", "s3:GetObjectVersion");
  Reading<Output> reading{find_object(call, bucket, request.Key, request.VersionId), {}, {}};
  const Object& object = reading.object;
  Output& output = reading.output;
  output.VersionId = shown_version(bucket, object);
  check_read({request.IfMatch, request.IfNoneMatch, request.IfModifiedSince, request.IfUnmodifiedSince}, object,
             output.VersionId, call.now);
  reading.piece = piece_of(call, object, request);

  show_headers(output, object.headers);
  override_headers(output, request);
  output.AcceptRanges = "bytes";
  output.LastModified = object.modified_at;
  output.ETag = object.quoted_etag();
  output.ContentLength = static_cast<std::int64_t>(reading.piece.range.length);
  output.ServerSideEncryption = kEncryption;
  // Absent where the request names a version, even the latest.
  if (!request.VersionId) output.Expiration = expiration_header(call, bucket, object);
  if (reading.piece.part) output.PartsCount = static_cast<std::int32_t>(object.parts);
  if (!object.tags.empty() && allowed(call, bucket, {.action = "s3:GetObjectTagging", .key = request.Key})) {
    output.TagCount = static_cast<std::int32_t>(object.tags.size());
  }
  show_lock(call, bucket, object, output);
  if (request.ChecksumMode) show_piece_checksum(output, object, reading.piece);
  if (reading.piece.partial) {
    output.ContentRange = content_range(reading.piece.range, static_cast<std::uint64_t>(object.size));
    call.status = 206;
  }
  return reading;
}

}  // namespace

shape::GetObjectOutput get_object(ObjectCall& call, const shape::GetObjectRequest& request) {
  auto reading = read_object<shape::GetObjectOutput>(call, request);
  call.download = read_extents(call.tx, reading.object, reading.piece.range);
  return std::move(reading.output);
}

shape::HeadObjectOutput head_object(ObjectCall& call, const shape::HeadObjectRequest& request) {
  return std::move(read_object<shape::HeadObjectOutput>(call, request).output);
}

std::vector<ObjectOperation> get_object_operations() {
  return {
      object_operation<&get_object>("GetObject", Access::Read, shape::kGetObjectHttp),
      object_operation<&head_object>("HeadObject", Access::Read, shape::kHeadObjectHttp),
  };
}

}  // namespace services::s3
