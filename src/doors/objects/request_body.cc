// SPDX-License-Identifier: Apache-2.0
#include "doors/objects/request_body.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "doors/objects/errors.h"
#include "base/bytes.h"

namespace doors::objects {
namespace asio = boost::asio;
namespace {

using wire::ApiError;

constexpr std::string_view kAwsChunked = "aws-chunked";

std::optional<std::uint64_t> content_length(const base::Headers& headers) {
  const std::string* text = headers.find("Content-Length");
  if (!text) return std::nullopt;
  std::uint64_t length = 0;
  // The parser of requests has seen to it that it is a number.
  std::from_chars(text->data(), text->data() + text->size(), length);
  return length;
}

struct Algorithm {
  std::string_view name;
  base::Checksum kind;
  std::size_t size;
};
constexpr Algorithm kAlgorithms[] = {{"crc32", base::Checksum::Crc32, 4},       {"crc32c", base::Checksum::Crc32c, 4},
                                     {"crc64nvme", base::Checksum::Crc64Nvme, 8}, {"sha1", base::Checksum::Sha1, 20},
                                     {"sha256", base::Checksum::Sha256, 32}};

constexpr std::string_view kAbsentAlgorithms[] = {"SHA512", "MD5", "XXHASH64", "XXHASH3", "XXHASH128"};

std::string digest(base::Checksum kind, std::string_view bytes) {
  base::Hasher hasher(kind);
  hasher.update(bytes);
  return hasher.finish();
}

void check_md5(const std::string& given, std::string_view body) {
  const auto expected = base::from_base64(given);
  if (!expected || expected->size() != 16) {
    throw ApiError("InvalidDigest", "The Content-MD5 you specified was invalid.", 400).with("Content-MD5", given);
  }
  const std::string computed = digest(base::Checksum::Md5, body);
  if (*expected == computed) return;
  throw ApiError("BadDigest", "The Content-MD5 you specified did not match what we received.", 400)
      .with("ExpectedDigest", given)
      .with("CalculatedDigest", base::to_base64(computed));
}

void check_checksum(const Algorithm& algorithm, const std::string& header, const std::string& given,
                    std::string_view body) {
  const auto expected = base::from_base64(given);
  if (!expected || expected->size() != algorithm.size) {
    throw ApiError("InvalidRequest", "Value for " + header + " header is invalid.", 400);
  }
  if (*expected == digest(algorithm.kind, body)) return;
  std::string name(algorithm.name);
  for (char& c : name) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  throw ApiError("BadDigest", "The " + name + " you specified did not match the calculated checksum.", 400);
}

}  // namespace

RequestBody::RequestBody(http::Exchange& exchange, const signing::Claim* claim, std::shared_ptr<const signing::SigningKey> key)
    : exchange_(exchange), key_(std::move(key)), size_(content_length(exchange.head().headers)) {
  auto form = signing::aws_chunked(exchange.head(), claim);
  if (!form) return;
  size_ = form->decoded_length;
  announced_ = form->trailers;
  decoder_.emplace(std::move(*form), key_);
}

void RequestBody::require_size() const {
  if (size_) return;
  if (exchange_.head().headers.find("Transfer-Encoding")) {
    throw ApiError("NotImplemented", "A header you provided implies functionality that is not implemented", 501)
        .with("Header", "Transfer-Encoding");
  }
  throw ApiError("MissingContentLength", "You must provide the Content-Length HTTP header.", 411);
}

asio::awaitable<std::string> RequestBody::next() {
  for (;;) {
    std::string piece = co_await exchange_.read_piece();
    if (!decoder_) co_return piece;
    if (piece.empty()) {
      trailers_ = decoder_->finish();
      co_return piece;
    }
    // What is left of it moves to its front: the chunks' own lines only ever make it shorter.
    std::string_view input = piece;
    std::size_t kept = 0;
    while (!input.empty()) {
      const std::string_view bytes = decoder_->next(input);
      if (bytes.empty()) continue;  // memmove() wants to be given something
      std::memmove(piece.data() + kept, bytes.data(), bytes.size());
      kept += bytes.size();
    }
    piece.resize(kept);
    if (kept > 0) co_return piece;
  }
}

asio::awaitable<std::string> RequestBody::whole(std::size_t limit) {
  if (!decoder_) {
    std::string body = co_await exchange_.read_body(limit);
    co_return body;
  }
  std::string body;
  for (;;) {
    const std::string piece = co_await next();
    if (piece.empty()) co_return body;
    body += piece;
    if (body.size() > limit) throw http::Failure(413, "The body is larger than " + std::to_string(limit) + " bytes.");
  }
}

std::optional<base::Checksum> checksum_of_header(std::string_view name) {
  constexpr std::string_view kPrefix = "x-amz-checksum-";
  if (name.size() <= kPrefix.size() || !base::equals_ignoring_case(name.substr(0, kPrefix.size()), kPrefix)) {
    return std::nullopt;
  }
  for (const Algorithm& algorithm : kAlgorithms) {
    if (base::equals_ignoring_case(name.substr(kPrefix.size()), algorithm.name)) return algorithm.kind;
  }
  return std::nullopt;
}

base::Headers without_aws_chunked(const base::Headers& headers) {
  base::Headers kept;
  for (const auto& [name, value] : headers) {
    if (!base::equals_ignoring_case(name, "Content-Encoding")) {
      kept.add(name, value);
      continue;
    }
    std::string others;
    for (std::string_view rest = value; !rest.empty();) {
      const std::string_view part = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), part.size() + 1));
      if (base::equals_ignoring_case(base::trim(part), kAwsChunked)) continue;
      others += (others.empty() ? "" : ",") + std::string(base::trim(part));
    }
    if (!others.empty()) kept.add(name, others);
  }
  return kept;
}

void check_digests(const base::Headers& headers, bool checksums, std::string_view body) {
  if (const std::string* md5 = headers.find("Content-MD5")) check_md5(*md5, body);
  if (!checksums) return;
  for (const Algorithm& algorithm : kAlgorithms) {
    const std::string header = "x-amz-checksum-" + std::string(algorithm.name);
    if (const std::string* given = headers.find(header)) check_checksum(algorithm, header, *given, body);
  }
  for (std::string_view name : kAbsentAlgorithms) {
    if (!headers.find("x-amz-checksum-" + base::to_lower(name))) continue;
    throw ApiError("NotImplemented", "The checksum algorithm " + std::string(name) + " is not implemented.", 501);
  }
}

}  // namespace doors::objects
