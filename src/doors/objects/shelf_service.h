// SPDX-License-Identifier: Apache-2.0
// Test support: a small REST service that puts bytes on shelves, by the names that S3's operations have.
#pragma once

#include <boost/describe/class.hpp>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "services/s3/object_operation.h"
#include "store/store.h"

namespace doors::objects::shelf {

struct PutRequest {
  std::optional<base::Blob> Body;
  std::string Bucket, Key;
  std::optional<std::string> ContentEncoding;
};
BOOST_DESCRIBE_STRUCT(PutRequest, (), (Body, Bucket, Key, ContentEncoding))

struct PutOutput {
  std::optional<std::string> ETag, Trailer, Caller, ContentEncoding;
};
BOOST_DESCRIBE_STRUCT(PutOutput, (), (ETag, Trailer, Caller, ContentEncoding))

struct GetRequest {
  std::string Bucket, Key;
};
BOOST_DESCRIBE_STRUCT(GetRequest, (), (Bucket, Key))

struct CopyRequest {
  std::string Bucket, Key, From;
};
BOOST_DESCRIBE_STRUCT(CopyRequest, (), (Bucket, Key, From))

struct Words {
  std::optional<std::string> Text;
};
BOOST_DESCRIBE_STRUCT(Words, (), (Text))

struct TellRequest {
  std::string Bucket;
  std::optional<std::string> Algorithm;
  std::optional<shelf::Words> Words;
};
BOOST_DESCRIBE_STRUCT(TellRequest, (), (Bucket, Algorithm, Words))

struct FormRequest {
  std::string Bucket;
  std::optional<std::map<std::string, std::string>> Fields;
  std::optional<std::string> FileName;
};
BOOST_DESCRIBE_STRUCT(FormRequest, (), (Bucket, Fields, FileName))

}  // namespace doors::objects::shelf

template <>
inline constexpr auto wire::kTraits<doors::objects::shelf::PutRequest> = wire::traits({.payload = "Body"}, {
    {.member = "Bucket", .required = true, .in = wire::In::Label, .at = "Bucket"},
    {.member = "Key", .required = true, .in = wire::In::Label, .at = "Key"},
    {.member = "ContentEncoding", .in = wire::In::Header, .at = "Content-Encoding"},
});
template <>
inline constexpr auto wire::kTraits<doors::objects::shelf::PutOutput> = wire::traits({
    {.member = "ETag", .in = wire::In::Header, .at = "ETag"},
    {.member = "Trailer", .in = wire::In::Header, .at = "x-trailer"},
    {.member = "Caller", .in = wire::In::Header, .at = "x-caller"},
    {.member = "ContentEncoding", .in = wire::In::Header, .at = "x-encoding"},
});
template <>
inline constexpr auto wire::kTraits<doors::objects::shelf::GetRequest> = wire::traits({
    {.member = "Bucket", .required = true, .in = wire::In::Label, .at = "Bucket"},
    {.member = "Key", .required = true, .in = wire::In::Label, .at = "Key"},
});
template <>
inline constexpr auto wire::kTraits<doors::objects::shelf::CopyRequest> = wire::traits({
    {.member = "Bucket", .required = true, .in = wire::In::Label, .at = "Bucket"},
    {.member = "Key", .required = true, .in = wire::In::Label, .at = "Key"},
    {.member = "From", .required = true, .in = wire::In::Header, .at = "x-amz-copy-source"},
});
template <>
inline constexpr auto wire::kTraits<doors::objects::shelf::TellRequest> = wire::traits({.payload = "Words"}, {
    {.member = "Bucket", .required = true, .in = wire::In::Label, .at = "Bucket"},
    {.member = "Algorithm", .in = wire::In::Header, .at = "x-amz-sdk-checksum-algorithm"},
});
template <>
inline constexpr auto wire::kTraits<doors::objects::shelf::FormRequest> = wire::traits({
    {.member = "Bucket", .required = true, .in = wire::In::Label, .at = "Bucket"},
});

namespace doors::objects::shelf {

using services::Access;
using services::s3::Body;
using services::s3::ObjectCall;
using services::Call;
using wire::ApiError;

inline store::Migrations migrations() {
  return {"shelf", {"CREATE TABLE shelf (name TEXT PRIMARY KEY, file TEXT, bytes BLOB, size INTEGER NOT NULL)"}};
}

inline std::string name_of(const std::string& bucket, const std::string& key) { return bucket + "/" + key; }

inline PutOutput put_on_shelf(ObjectCall& call, const std::string& name) {
  const services::s3::Upload& upload = *call.upload;
  if (name.ends_with("/refused")) throw ApiError("AccessDenied", "Access Denied", 403);
  call.tx.exec(
      "INSERT INTO shelf (name, file, bytes, size) VALUES ($1, $2, $3, $4)"
      " ON CONFLICT (name) DO UPDATE SET file = excluded.file, bytes = excluded.bytes, size = excluded.size",
      name, upload.file.empty() ? std::nullopt : std::optional(upload.file), store::BlobView{upload.bytes},
      upload.size);
  PutOutput output;
  output.ETag = base::to_hex(upload.md5);
  output.Caller = call.caller.account + "@" + call.caller.address;
  for (const auto& [header, value] : upload.trailers) output.Trailer = header + "=" + value;
  return output;
}

// Buckets called "private" are for those with a key.
inline void check(const Call& call, const std::string& bucket) {
  if (bucket == "private" && call.caller.anonymous()) throw ApiError("AccessDenied", "Access Denied", 403);
}

inline void prepare_put(ObjectCall& call, const PutRequest& request) {
  check(call, request.Bucket);
  call.spool.max_bytes = 10'000'000;
}
inline PutOutput put(ObjectCall& call, const PutRequest& request) {
  PutOutput output = put_on_shelf(call, name_of(request.Bucket, request.Key));
  output.ContentEncoding = request.ContentEncoding;
  return output;
}

inline std::optional<services::s3::Extent> find(Call& call, const std::string& name) {
  return call.tx.query("SELECT file, bytes, size FROM shelf WHERE name = $1", name).one([](const store::Row& row) {
    services::s3::Extent extent;
    extent.file = row.maybe_str(0).value_or("");
    extent.bytes = extent.file.empty() ? row.str(1) : "";
    extent.length = static_cast<std::uint64_t>(row.integer(2));
    return extent;
  });
}
inline services::s3::Extent find_or_throw(Call& call, const std::string& name) {
  auto found = find(call, name);
  if (!found) throw ApiError("NoSuchKey", "The specified key does not exist.", 404);
  return std::move(*found);
}

inline void get(ObjectCall& call, const GetRequest& request) {
  check(call, request.Bucket);
  call.download = {{find_or_throw(call, name_of(request.Bucket, request.Key))}};
}

inline void prepare_copy(ObjectCall& call, const CopyRequest& request) {
  call.spool.max_bytes = 10'000'000;
  call.spool.source = {{find_or_throw(call, request.From)}};
}
inline PutOutput copy(ObjectCall& call, const CopyRequest& request) {
  return put_on_shelf(call, name_of(request.Bucket, request.Key));
}

inline Words tell(Call&, const TellRequest& request) { return request.Words.value_or(Words{"nothing"}); }

inline void prepare_form(ObjectCall& call, const FormRequest& request) {
  check(call, request.Bucket);
  call.spool.max_bytes = 10'000'000;
}
inline PutOutput form(ObjectCall& call, const FormRequest& request) {
  return put_on_shelf(call, name_of(request.Bucket, request.Fields->at("key")) + *request.FileName);
}

inline std::optional<wire::ApiError> violation_error(const std::vector<wire::Violation>&) {
  return ApiError("MalformedXML", "missing", 400);
}

inline std::optional<base::Headers> cors(Call&, const services::s3::CorsRequest& question) {
  if (question.origin != "http://friend") return std::nullopt;
  return base::Headers{{"Access-Control-Allow-Origin", question.origin}, {"x-asked", question.method}};
}

inline services::s3::ObjectTable table() {
  using services::s3::object_operation;
  using services::s3::with_body;
  services::s3::ObjectTable shelf;
  shelf.operations = {
      with_body<&prepare_put>(object_operation<&put>("PutObject", Access::Write, {"PUT", "/{Bucket}/{Key+}", 200}),
                              Body::Spooled),
      object_operation<&get>("GetObject", Access::Read, {"GET", "/{Bucket}/{Key+}", 200}),
      object_operation<&get>("HeadObject", Access::Read, {"HEAD", "/{Bucket}/{Key+}", 200}),
      with_body<&prepare_copy>(
          object_operation<&copy>("CopyObject", Access::Write, {"PUT", "/{Bucket}/{Key+}", 200, "x-amz-copy-source"}),
          Body::Whole),
      services::operation<&tell>("PutWords", Access::Read, {"PUT", "/{Bucket}?words", 200}),
      with_body<&prepare_form>(object_operation<&form>("PostObject", Access::Write, {"POST", "/{Bucket}", 204}),
                               Body::Form),
  };
  shelf.unsupported = {"torrent"};
  shelf.cors = &cors;
  return shelf;
}

inline services::Service service() {
  services::Service shelf;
  shelf.wire = {.name = "s3", .xml_namespace = "http://shelf/"};
  shelf.signing_name = "s3";
  shelf.protocols = {wire::Protocol::RestXml};
  shelf.body_limit = 4096;
  for (const services::s3::ObjectOperation& row : table().operations) shelf.operations.push_back(row.plain);
  shelf.violation_error = &violation_error;
  return shelf;
}

}  // namespace doors::objects::shelf
