// SPDX-License-Identifier: Apache-2.0
#include "services/s3/checksums.h"

#include "base/bytes.h"
#include "services/s3/checksum_algorithms.h"
#include "services/s3/errors.h"

namespace services::s3 {
namespace {

using base::Checksum;

const ChecksumAlgorithm& row_of(Checksum kind) {
  for (const ChecksumAlgorithm& row : checksum_algorithms()) {
    if (row.kind == kind) return row;
  }
  return row_of(kDefaultChecksum);
}

wire::ApiError unsupported_algorithm(std::string_view name) {
  return not_implemented("The checksum algorithm " + std::string(name));
}

wire::ApiError several_checksums() {
  return invalid_request("Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.");
}

wire::ApiError another_announced() {
  return invalid_request("Value for x-amz-sdk-checksum-algorithm header is invalid.");
}

void check_value(Checksum kind, const std::string& value) {
  auto raw = base::from_base64(value);
  if (!raw || raw->size() != row_of(kind).bytes) {
    throw invalid_request("Value for x-amz-checksum-" + lower_checksum_name(kind) + " header is invalid.");
  }
}

// The checksum in the trailers, if there is one.
std::optional<ChecksumClaim> trailing_claim(const base::Headers& trailers) {
  std::optional<ChecksumClaim> found;
  for (const auto& [name, value] : trailers) {
    const auto named = algorithm_of_header(name);
    if (!named) continue;
    if (found) throw several_checksums();
    const ChecksumAlgorithm* algorithm = find_checksum_algorithm(*named);
    if (!algorithm || !algorithm->kind) throw unsupported_algorithm(*named);
    found = ChecksumClaim{*algorithm->kind, value};
    check_value(found->kind, value);
  }
  return found;
}

}  // namespace

std::string_view checksum_name(Checksum kind) { return row_of(kind).name; }
std::string lower_checksum_name(Checksum kind) { return base::to_lower(row_of(kind).name); }

Checksum checksum_kind(std::string_view name) {
  const ChecksumAlgorithm* algorithm = find_checksum_algorithm(name);
  if (algorithm && algorithm->name == name) {
    if (!algorithm->kind) throw unsupported_algorithm(name);
    return *algorithm->kind;
  }
  throw invalid_request("Checksum algorithm provided is unsupported. Please try again with any of the valid types: "
                        "[CRC32, CRC32C, CRC64NVME, SHA1, SHA256]");
}

bool is_crc(Checksum kind) { return kind != Checksum::Sha1 && kind != Checksum::Sha256; }

std::optional<ChecksumClaim> claim_of(const ClaimedValues& values, const std::optional<std::string>& sdk_algorithm) {
  std::optional<ChecksumClaim> claim;
  for (std::size_t i = 0; i < std::size(values.members); ++i) {
    const ChecksumAlgorithm& algorithm = checksum_algorithms()[i];
    const std::optional<std::string>& value = *values.members[i];
    if (!value) continue;
    if (!algorithm.kind) throw unsupported_algorithm(algorithm.name);
    if (claim) throw several_checksums();
    check_value(*algorithm.kind, *value);
    claim = ChecksumClaim{*algorithm.kind, value};
  }
  if (!sdk_algorithm) return claim;
  const Checksum announced = checksum_kind(*sdk_algorithm);
  if (!claim) return ChecksumClaim{announced, std::nullopt};
  if (claim->kind != announced) throw another_announced();
  return claim;
}

void check_md5_text(const std::optional<std::string>& content_md5) {
  if (!content_md5) return;
  auto raw = base::from_base64(*content_md5);
  if (raw && raw->size() == 16) return;
  throw wire::ApiError("InvalidDigest", "The Content-MD5 you specified was invalid.").with("Content-MD5", *content_md5);
}

std::string body_checksum(const Upload& upload, Checksum kind) {
  if (kind == Checksum::Md5) return upload.md5;
  auto found = upload.checksums.find(kind);
  if (found != upload.checksums.end()) return found->second;
  if (!upload.file.empty()) {
    throw invalid_request("The trailer x-amz-checksum-" + lower_checksum_name(kind) +
                          " was not announced by an x-amz-trailer header.");
  }
  base::Hasher hasher(kind);
  hasher.update(upload.bytes);
  return hasher.finish();
}

BodyChecksum check_body(const Upload& upload, const std::optional<std::string>& content_md5,
                        const std::optional<ChecksumClaim>& claim, Checksum otherwise) {
  check_md5_text(content_md5);
  if (content_md5 && base::from_base64(*content_md5) != upload.md5) {
    throw wire::ApiError("BadDigest", "The Content-MD5 you specified did not match what we received.")
        .with("ExpectedDigest", base::to_hex(*base::from_base64(*content_md5)))
        .with("CalculatedDigest", base::to_base64(upload.md5));
  }
  std::optional<ChecksumClaim> settled = trailing_claim(upload.trailers);
  if (settled && claim && claim->value) throw several_checksums();
  if (settled && claim && claim->kind != settled->kind) throw another_announced();
  if (!settled) settled = claim;
  if (settled && !settled->value) {
    throw invalid_request("x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or "
                          "x-amz-trailer headers were found.");
  }
  const Checksum kind = settled ? settled->kind : otherwise;
  BodyChecksum kept{kind, base::to_base64(body_checksum(upload, kind)), settled.has_value()};
  if (settled && *settled->value != kept.value) throw checksum_mismatch(kind);
  return kept;
}

wire::ApiError checksum_mismatch(Checksum kind) {
  return wire::ApiError("BadDigest", "The " + std::string(checksum_name(kind)) +
                                         " you specified did not match the calculated checksum.");
}

std::string full_object_checksum(Checksum kind, const std::vector<PartChecksum>& parts) {
  std::string whole = base::Hasher(kind).finish();  // of no bytes
  for (const PartChecksum& part : parts) {
    whole = base::combine_crc(kind, whole, base::from_base64(part.value).value_or(""), part.size);
  }
  return base::to_base64(whole);
}

std::string composite_checksum(Checksum kind, const std::vector<PartChecksum>& parts) {
  base::Hasher hasher(kind);
  for (const PartChecksum& part : parts) hasher.update(base::from_base64(part.value).value_or(""));
  return base::to_base64(hasher.finish()) + "-" + std::to_string(parts.size());
}

}  // namespace services::s3
