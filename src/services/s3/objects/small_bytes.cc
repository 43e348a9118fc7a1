// SPDX-License-Identifier: Apache-2.0
#include "services/s3/objects/small_bytes.h"

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/log.h"
#include "services/s3/checksums.h"

namespace services::s3 {
namespace {

constexpr std::size_t kMd5Digits = 32;

bool has_digest(std::string_view bytes, base::Checksum kind, std::string_view raw) {
  base::Hasher hasher(kind);
  hasher.update(bytes);
  return hasher.finish() == raw;
}

bool is_intact(std::string_view bytes, const SmallDigest& digest) {
  if (bytes.size() != digest.size) return false;
  if (digest.checksum && digest.checksum->type == kFullObject) {
    const auto raw = base::from_base64(digest.checksum->value);
    if (raw) return has_digest(bytes, checksum_kind(digest.checksum->kind), *raw);
  }
  const auto md5 = digest.etag.size() == kMd5Digits ? base::from_hex(digest.etag) : std::nullopt;
  return !md5 || has_digest(bytes, base::Checksum::Md5, *md5);
}

}  // namespace

void require_intact(std::string_view bytes, const SmallDigest& digest, const Object& object) {
  if (is_intact(bytes, digest)) return;
  base::log_error("an object's bytes are damaged", {{"key", object.key}, {"version", object.version()}, {"bucket", object.bucket}});
  throw wire::ApiError("InternalError", "We encountered an internal error. Please try again.", 500);
}

}  // namespace services::s3
