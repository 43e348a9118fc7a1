// SPDX-License-Identifier: Apache-2.0
// The wordings are Amazon's, as recorded by projects whose tests also run against it.
#include "doors/objects/checksum_headers.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "wire/error.h"

namespace doors::objects {
namespace {

using wire::ApiError;

constexpr std::string_view kPrefix = "x-amz-checksum-";
// All that S3 has; those that Stoker has not are refused by name, later.
constexpr std::string_view kAlgorithms[] = {"crc32",  "crc32c", "crc64nvme", "sha1",    "sha256",
                                            "sha512", "md5",    "xxhash64",  "xxhash3", "xxhash128"};
// Headers that begin like those of checksums.
constexpr std::string_view kOthers[] = {"algorithm", "mode", "type"};

template <class List>
bool has(const List& list, std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

ApiError invalid(const std::string& message) { return ApiError("InvalidRequest", message, 400); }

// "crc32" of "X-Amz-Checksum-CRC32"; nullopt for what is no checksum's header.
std::optional<std::string> algorithm_of(std::string_view header) {
  const std::string small = base::to_lower(header);
  if (!small.starts_with(kPrefix) || has(kOthers, small.substr(kPrefix.size()))) return std::nullopt;
  return small.substr(kPrefix.size());
}

// The one that a header has a value for.
std::optional<std::string> given_algorithm(const base::Headers& headers) {
  std::optional<std::string> given;
  for (const auto& [name, value] : headers) {
    auto algorithm = algorithm_of(name);
    if (!algorithm) continue;
    if (given && *given != *algorithm) {
      throw invalid("Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.");
    }
    given = std::move(algorithm);
  }
  if (given && !has(kAlgorithms, *given)) {
    throw invalid("The algorithm type you specified in x-amz-checksum- header is invalid.");
  }
  return given;
}

// The one that is to follow the body.
std::optional<std::string> trailing_algorithm(const base::Headers& headers) {
  std::string_view name = headers.get("x-amz-trailer");
  if (name.empty()) return std::nullopt;
  while (name.starts_with(' ')) name.remove_prefix(1);
  while (name.ends_with(' ')) name.remove_suffix(1);
  auto algorithm = algorithm_of(name);
  if (!algorithm || !has(kAlgorithms, *algorithm)) {
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
  if (!has(kAlgorithms, small) || (named && *named != small)) {
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

}  // namespace doors::objects
