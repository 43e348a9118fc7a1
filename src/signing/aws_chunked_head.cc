// SPDX-License-Identifier: Apache-2.0
// Parses the headers that describe aws-chunked bodies.
#include <algorithm>
#include <array>
#include <charconv>

#include "base/bytes.h"
#include "signing/aws_chunked.h"

namespace signing {
namespace {

constexpr std::string_view kHashHeader = "x-amz-content-sha256";
constexpr std::array<std::string_view, 5> kTrailers = {"x-amz-checksum-crc32", "x-amz-checksum-crc32c",
                                                       "x-amz-checksum-crc64nvme", "x-amz-checksum-sha1",
                                                       "x-amz-checksum-sha256"};

bool is_sha256(std::string_view text) { return text.size() == 64 && base::from_hex(text).has_value(); }

BodyError unknown_hash(std::string_view value) {
  return BodyError(400, "InvalidArgument",
                   "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, "
                   "STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER, "
                   "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD, STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER or a "
                   "valid sha256 value.",
                   {{"ArgumentName", std::string(kHashHeader)}, {"ArgumentValue", std::string(value)}});
}

BodyError invalid(const char* message) { return BodyError(400, "InvalidRequest", message); }

// The kind of chunks, if any.
std::optional<AwsChunked> kind_of(std::string_view payload_hash) {
  AwsChunked form;
  if (payload_hash == "STREAMING-AWS4-HMAC-SHA256-PAYLOAD") {
    form.signed_chunks = true;
  } else if (payload_hash == "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER") {
    form.signed_chunks = form.trailer = true;
  } else if (payload_hash == "STREAMING-UNSIGNED-PAYLOAD-TRAILER") {
    form.trailer = true;
  } else if (payload_hash.starts_with("STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD")) {
    throw BodyError(501, "NotImplemented", "A header you provided implies functionality that is not implemented",
                    {{"Header", std::string(kHashHeader)}});
  } else if (payload_hash.empty() || payload_hash == kUnsignedPayload || is_sha256(payload_hash)) {
    return std::nullopt;
  } else {
    throw unknown_hash(payload_hash);
  }
  return form;
}

// Amazon splits like Java: empty parts at the end of the list are ignored, others are errors.
std::vector<std::string> announced_trailers(std::string_view list) {
  while (list.ends_with(',')) list.remove_suffix(1);
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    std::string_view name = list.substr(at, end - at);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    names.push_back(base::to_lower(name));
    if (std::ranges::find(kTrailers, names.back()) == kTrailers.end()) {
      throw invalid("The value specified in the x-amz-trailer header is not supported");
    }
    at = end + 1;
  }
  if (names.size() > 1) {
    throw invalid("Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.");
  }
  return names;
}

std::uint64_t decoded_length(const http::RequestHead& head) {
  const std::string* text = head.headers.find("x-amz-decoded-content-length");
  if (!text) throw BodyError(411, "MissingContentLength", "You must provide the Content-Length HTTP header.");
  std::uint64_t length = 0;
  const auto [stop, error] = std::from_chars(text->data(), text->data() + text->size(), length);
  if (error != std::errc() || stop != text->data() + text->size()) {
    throw BodyError(400, "InvalidArgument", "x-amz-decoded-content-length is not a number",
                    {{"ArgumentName", "x-amz-decoded-content-length"}, {"ArgumentValue", *text}});
  }
  return length;
}

}  // namespace

std::optional<AwsChunked> aws_chunked(const http::RequestHead& head, const Claim* claim) {
  const std::string payload_hash(claim ? std::string_view(claim->payload_hash) : head.headers.get(kHashHeader));
  std::optional<AwsChunked> form = kind_of(payload_hash);
  if (form && claim && claim->presigned) {
    // For a presigned request Amazon reads a plain body and takes the keyword as its hash, which never matches.
    throw BodyError(400, "XAmzContentSHA256Mismatch",
                    "The provided 'x-amz-content-sha256' header does not match what was computed.",
                    {{"ClientComputedContentSHA256", payload_hash}});
  }
  if (form && form->signed_chunks && !claim) throw unknown_hash(payload_hash);
  // Anonymous requests have no hash; only this header announces the chunks.
  if (!form && !claim && payload_hash.empty() && head.headers.find("x-amz-decoded-content-length")) {
    form.emplace().trailer = true;
  }
  if (const std::string* list = head.headers.find("x-amz-trailer")) {
    std::vector<std::string> trailers = announced_trailers(*list);
    if (!form || !form->trailer) throw malformed_trailer();
    form->trailers = std::move(trailers);
  }
  if (!form) return form;
  form->decoded_length = decoded_length(head);
  if (form->signed_chunks) {
    form->timestamp = claim->timestamp;
    form->scope = claim->scope().text();
    form->seed_signature = claim->signature;
  }
  return form;
}

}  // namespace signing
