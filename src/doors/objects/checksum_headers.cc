// SPDX-License-Identifier: Apache-2.0
// The messages are Amazon's, as recorded by projects whose tests also run against it.
#include "doors/objects/checksum_headers.h"

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "services/s3/checksum_algorithms.h"
#include "wire/error.h"

namespace doors::objects {
namespace {

using wire::ApiError;

using services::s3::ChecksumAlgorithm;
using services::s3::find_checksum_algorithm;

ApiError invalid(const std::string& message) { return ApiError("InvalidRequest", message, 400); }

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
      .with("ExpectedDigest", base::to_hex(*expected))
      .with("CalculatedDigest", base::to_base64(computed));
}

void check_checksum(const ChecksumAlgorithm& algorithm, const std::string& given, std::string_view body) {
  const std::string name(algorithm.name);
  if (!algorithm.kind) throw ApiError("NotImplemented", "The checksum algorithm " + name + " is not implemented.", 501);
  const auto expected = base::from_base64(given);
  if (!expected || expected->size() != algorithm.bytes) {
    throw invalid("Value for x-amz-checksum-" + base::to_lower(name) + " header is invalid.");
  }
  if (*expected == digest(*algorithm.kind, body)) return;
  throw ApiError("BadDigest", "The " + name + " you specified did not match the calculated checksum.", 400);
}

// The algorithm of the checksum among the headers.
std::optional<std::string> given_algorithm(const base::Headers& headers) {
  std::optional<std::string> given;
  for (const auto& [name, value] : headers) {
    auto algorithm = services::s3::algorithm_of_header(name);
    if (!algorithm) continue;
    if (given && *given != *algorithm) {
      throw invalid("Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.");
    }
    given = std::move(algorithm);
  }
  if (given && !find_checksum_algorithm(*given)) {
    throw invalid("The algorithm type you specified in x-amz-checksum- header is invalid.");
  }
  return given;
}

// The algorithm of the checksum that follows the body.
std::optional<std::string> trailing_algorithm(const base::Headers& headers) {
  std::string_view name = headers.get("x-amz-trailer");
  if (name.empty()) return std::nullopt;
  while (name.starts_with(' ')) name.remove_prefix(1);
  while (name.ends_with(' ')) name.remove_suffix(1);
  auto algorithm = services::s3::algorithm_of_header(name);
  if (!algorithm || !find_checksum_algorithm(*algorithm)) {
    throw invalid("The value specified in the x-amz-trailer header is not supported");
  }
  return algorithm;
}

}  // namespace

void check_checksum_headers(const base::Headers& headers) {
  const auto given = given_algorithm(headers), trailing = trailing_algorithm(headers);
  if (given && trailing) throw invalid("Expecting a single x-amz-checksum- header");
  const std::string* announced = headers.find("x-amz-sdk-checksum-algorithm");
  if (!announced) return;
  const std::string small = base::to_lower(*announced);
  const auto& named = given ? given : trailing;
  if (!find_checksum_algorithm(small) || (named && *named != small)) {
    throw invalid("Value for x-amz-sdk-checksum-algorithm header is invalid.");
  }
  if (!named) {
    throw invalid("x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer "
                  "headers were found.");
  }
}

void require_digest(const base::Headers& headers) {
  if (headers.find("Content-MD5") || given_algorithm(headers) || trailing_algorithm(headers)) return;
  throw invalid("Missing required header for this request: Content-MD5 OR x-amz-checksum-*");
}

std::optional<base::Checksum> announced_checksum(std::string_view trailer) {
  const auto name = services::s3::algorithm_of_header(trailer);
  const ChecksumAlgorithm* algorithm = name ? find_checksum_algorithm(*name) : nullptr;
  return algorithm ? algorithm->kind : std::nullopt;
}

void check_digests(const base::Headers& headers, bool checksums, std::string_view body) {
  if (const std::string* md5 = headers.find("Content-MD5")) check_md5(*md5, body);
  if (!checksums) return;
  for (const ChecksumAlgorithm& algorithm : services::s3::checksum_algorithms()) {
    const std::string* given = headers.find("x-amz-checksum-" + base::to_lower(algorithm.name));
    if (given) check_checksum(algorithm, *given, body);
  }
}

}  // namespace doors::objects
