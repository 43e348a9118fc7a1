// SPDX-License-Identifier: Apache-2.0
// Checksums that clients send beside bytes, that are checked against them, kept, and shown again.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/checksum.h"
#include "services/s3/bytes.h"
#include "services/s3/objects/object_row.h"
#include "wire/error.h"

namespace services::s3 {

inline constexpr char kFullObject[] = "FULL_OBJECT";
inline constexpr char kComposite[] = "COMPOSITE";
// What Amazon computes where nobody asked for another.
inline constexpr base::Checksum kDefaultChecksum = base::Checksum::Crc64Nvme;

std::string_view checksum_name(base::Checksum kind);      // "CRC32"
std::string small_checksum_name(base::Checksum kind);     // "crc32", as in messages and headers
// Throws for one that S3 has and Stoker has not, and for what is none.
base::Checksum checksum_kind(std::string_view name);
bool is_crc(base::Checksum kind);

// What a request says of its body: a value, or that one follows in a trailer.
struct ChecksumClaim {
  base::Checksum kind = kDefaultChecksum;
  std::optional<std::string> value;  // base64
};

// The members of a request that hold checksums, in the order of checksum_algorithms().
struct ClaimedValues {
  const std::optional<std::string>* members[10];
};
std::optional<ChecksumClaim> claim_of(const ClaimedValues& values, const std::optional<std::string>& sdk_algorithm);

template <class Request>
ClaimedValues claimed_values(const Request& r) {
  return {{&r.ChecksumCRC32, &r.ChecksumCRC32C, &r.ChecksumCRC64NVME, &r.ChecksumSHA1, &r.ChecksumSHA256,
           &r.ChecksumSHA512, &r.ChecksumMD5, &r.ChecksumXXHASH64, &r.ChecksumXXHASH3, &r.ChecksumXXHASH128}};
}

// Throws InvalidDigest for a Content-MD5 that is none.
void check_md5_text(const std::optional<std::string>& content_md5);

// The body against all that was said of it. Throws BadDigest. Answers the checksum that is kept of
// it, base64: of the claim's kind, or of `otherwise` where nothing was claimed.
struct BodyChecksum {
  base::Checksum kind;
  std::string value;
  bool claimed = false;
};
BodyChecksum check_body(const Upload& upload, const std::optional<std::string>& content_md5,
                        const std::optional<ChecksumClaim>& claim, base::Checksum otherwise);
// Raw, of a body.
std::string body_checksum(const Upload& upload, base::Checksum kind);

wire::ApiError checksum_mismatch(base::Checksum kind);

// Of the parts of an upload, in order; values are base64.
struct PartChecksum {
  std::string value;
  std::uint64_t size = 0;
};
std::string full_object_checksum(base::Checksum kind, const std::vector<PartChecksum>& parts);
std::string composite_checksum(base::Checksum kind, const std::vector<PartChecksum>& parts);

template <class Shape>
auto& checksum_member(Shape& shape, base::Checksum kind) {
  switch (kind) {
    case base::Checksum::Crc32: return shape.ChecksumCRC32;
    case base::Checksum::Crc32c: return shape.ChecksumCRC32C;
    case base::Checksum::Sha1: return shape.ChecksumSHA1;
    case base::Checksum::Sha256: return shape.ChecksumSHA256;
    default: return shape.ChecksumCRC64NVME;
  }
}

template <class Shape>
void show_checksum(Shape& shape, const StoredChecksum& checksum) {
  checksum_member(shape, checksum_kind(checksum.kind)) = checksum.value;
  if constexpr (requires { shape.ChecksumType; }) shape.ChecksumType = checksum.type;
}

}  // namespace services::s3
