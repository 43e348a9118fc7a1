// SPDX-License-Identifier: Apache-2.0
// PostObject: an upload by a browser's form. Amazon's model lacks it, so its shapes are here. The door verifies the
// form's signature, which covers its policy.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "services/s3/object_operation.h"
#include "services/s3/checksums.h"
#include "services/s3/objects/object_row.h"
#include "services/s3/objects/post_policy.h"
#include "services/s3/shape.h"
#include "shapes/s3/object.h"
#include "wire/operation.h"
#include "wire/traits.h"

namespace services::s3 {

struct PostObjectRequest {
  std::string Bucket;
  std::optional<std::map<std::string, std::string>> Fields;  // names in lower case; without the file
  std::optional<std::string> FileName;                       // as the browser states it
};
BOOST_DESCRIBE_STRUCT(PostObjectRequest, (), (Bucket, Fields, FileName))

struct PostResponse {
  std::optional<std::string> Location, Bucket, Key, ETag;
};
BOOST_DESCRIBE_STRUCT(PostResponse, (), (Location, Bucket, Key, ETag))

struct PostObjectOutput {
  std::int32_t Status = 204;
  std::optional<std::string> Location, ETag, VersionId, Expiration, ServerSideEncryption, ChecksumCRC32, ChecksumCRC32C,
      ChecksumCRC64NVME, ChecksumSHA1, ChecksumSHA256, ChecksumType;
  std::optional<services::s3::PostResponse> PostResponse;  // for status 201
};
BOOST_DESCRIBE_STRUCT(PostObjectOutput, (), (Status, Location, ETag, VersionId, Expiration, ServerSideEncryption,
                                             ChecksumCRC32, ChecksumCRC32C, ChecksumCRC64NVME, ChecksumSHA1,
                                             ChecksumSHA256, ChecksumType, PostResponse))

inline constexpr wire::HttpBinding kPostObjectHttp{"POST", "/{Bucket}", 204};

// What the form states, read once, before its file.
struct PostPlan {
  shape::PutObjectRequest put;
  Headers headers;
  Tags tags;
  VersionLock lock;
  std::optional<ChecksumClaim> claim;
  std::optional<PostPolicy> policy;
};

PostPlan prepare_post_object(ObjectCall& call, const PostObjectRequest& request);
PostObjectOutput post_object(ObjectCall& call, const PostObjectRequest& request, const PostPlan& plan);

}  // namespace services::s3

template <>
inline constexpr auto wire::kTraits<services::s3::PostObjectRequest> = wire::traits({
    {.member = "Bucket", .required = true, .in = wire::In::Label, .at = "Bucket"},
});

template <>
inline constexpr auto wire::kTraits<services::s3::PostObjectOutput> = wire::traits({.payload = "PostResponse"}, {
    {.member = "Status", .required = true, .in = wire::In::StatusCode},
    {.member = "Location", .in = wire::In::Header, .at = "Location"},
    {.member = "ETag", .in = wire::In::Header, .at = "ETag"},
    {.member = "VersionId", .in = wire::In::Header, .at = "x-amz-version-id"},
    {.member = "Expiration", .in = wire::In::Header, .at = "x-amz-expiration"},
    {.member = "ServerSideEncryption", .in = wire::In::Header, .at = "x-amz-server-side-encryption"},
    {.member = "ChecksumCRC32", .in = wire::In::Header, .at = "x-amz-checksum-crc32"},
    {.member = "ChecksumCRC32C", .in = wire::In::Header, .at = "x-amz-checksum-crc32c"},
    {.member = "ChecksumCRC64NVME", .in = wire::In::Header, .at = "x-amz-checksum-crc64nvme"},
    {.member = "ChecksumSHA1", .in = wire::In::Header, .at = "x-amz-checksum-sha1"},
    {.member = "ChecksumSHA256", .in = wire::In::Header, .at = "x-amz-checksum-sha256"},
    {.member = "ChecksumType", .in = wire::In::Header, .at = "x-amz-checksum-type"},
});
