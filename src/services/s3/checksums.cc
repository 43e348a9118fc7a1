// SPDX-License-Identifier: Apache-2.0
#include "services/s3/checksums.h"

#include <algorithm>

#include "base/bytes.h"
#include "services/s3/errors.h"

namespace services::s3 {
namespace {

using base::Checksum;

struct Kind {
  Checksum kind;
  std::string_view name;
  std::size_t bytes;
};
constexpr Kind kKinds[] = {{Checksum::Crc32, "CRC32", 4},
                           {Checksum::Crc32c, "CRC32C", 4},
                           {Checksum::Crc64Nvme, "CRC64NVME", 8},
                           {Checksum::Sha1, "SHA1", 20},
                           {Checksum::Sha256, "SHA256", 32}};
constexpr std::string_view kAbsent[] = {"SHA512", "MD5", "XXHASH64", "XXHASH3", "XXHASH128"};
constexpr std::string_view kHeaderPrefix = "x-amz-checksum-";

const Kind& row_of(Checksum kind) {
  for (const Kind& row : kKinds) {
    if (row.kind == kind) return row;
  }
  return kKinds[2];
}

wire::ApiError absent(std::string_view name) {
  return not_implemented("The checksum algorithm " + std::string(name));
}

wire::ApiError several() {
  return invalid_request("Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.");
}

wire::ApiError another_announced() {
  return invalid_request("Value for x-amz-sdk-checksum-algorithm header is invalid.");
}

void check_value(Checksum kind, const std::string& value) {
  auto raw = base::from_base64(value);
  if (!raw || raw->size() != row_of(kind).bytes) {
    throw invalid_request("Value for x-amz-checksum-" + small_checksum_name(kind) + " header is invalid.");
  }
}

// The checksum that followed the body, if one did.
std::optional<Claim> trailing_claim(const base::Headers& trailers) {
  std::optional<Claim> found;
  for (const auto& [name, value] : trailers) {
    const std::string small = base::to_lower(name);
    if (!small.starts_with(kHeaderPrefix)) continue;
    if (found) throw several();
    const std::string_view algorithm = std::string_view(small).substr(kHeaderPrefix.size());
    for (const Kind& row : kKinds) {
      if (base::equals_ignoring_case(row.name, algorithm)) found = Claim{row.kind, value};
    }
    if (!found) throw absent(algorithm);
    check_value(found->kind, value);
  }
  return found;
}

}  // namespace

std::string_view checksum_name(Checksum kind) { return row_of(kind).name; }
std::string small_checksum_name(Checksum kind) { return base::to_lower(row_of(kind).name); }

Checksum checksum_kind(std::string_view name) {
  for (const Kind& row : kKinds) {
    if (row.name == name) return row.kind;
  }
  if (std::find(std::begin(kAbsent), std::end(kAbsent), name) != std::end(kAbsent)) throw absent(name);
  throw invalid_request("Checksum algorithm provided is unsupported. Please try again with any of the valid types: "
                        "[CRC32, CRC32C, CRC64NVME, SHA1, SHA256]");
}

bool is_crc(Checksum kind) { return kind != Checksum::Sha1 && kind != Checksum::Sha256; }

std::optional<Claim> claim_of(const ClaimedValues& values, const std::optional<std::string>& sdk_algorithm) {
  std::optional<Claim> claim;
  for (std::size_t i = 0; i < std::size(kKinds); ++i) {
    if (!*values.known[i]) continue;
    if (claim) throw several();
    check_value(kKinds[i].kind, **values.known[i]);
    claim = Claim{kKinds[i].kind, *values.known[i]};
  }
  for (std::size_t i = 0; i < std::size(kAbsent); ++i) {
    if (*values.unknown[i]) throw absent(kAbsent[i]);
  }
  if (!sdk_algorithm) return claim;
  const Checksum announced = checksum_kind(*sdk_algorithm);
  if (!claim) return Claim{announced, std::nullopt};
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
    throw invalid_request("The trailer x-amz-checksum-" + small_checksum_name(kind) +
                          " was not announced by an x-amz-trailer header.");
  }
  base::Hasher hasher(kind);
  hasher.update(upload.bytes);
  return hasher.finish();
}

BodyChecksum check_body(const Upload& upload, const std::optional<std::string>& content_md5,
                        const std::optional<Claim>& claim, Checksum otherwise) {
  check_md5_text(content_md5);
  if (content_md5 && base::from_base64(*content_md5) != upload.md5) {
    throw wire::ApiError("BadDigest", "The Content-MD5 you specified did not match what we received.")
        .with("ExpectedDigest", *content_md5)
        .with("CalculatedDigest", base::to_base64(upload.md5));
  }
  std::optional<Claim> settled = trailing_claim(upload.trailers);
  if (settled && claim && claim->value) throw several();
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
  std::string whole = base::Hasher(kind).finish();  // of nothing
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
