// SPDX-License-Identifier: Apache-2.0
#include "telemetry/logs/columns.h"

#include <zstd.h>

#include <memory>

#include "base/check.h"

namespace telemetry {

void put_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

void put_signed(std::string& out, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  put_varint(out, (bits << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0));
}

std::int64_t wrapping_difference(std::int64_t value, std::int64_t before) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(before));
}

std::int64_t wrapping_sum(std::int64_t before, std::int64_t difference) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(before) + static_cast<std::uint64_t>(difference));
}

std::uint64_t ColumnReader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes_.empty() && ok_; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  ok_ = false;
  bytes_ = {};
  return 0;
}

std::int64_t ColumnReader::signed_varint() {
  const std::uint64_t bits = varint();
  return static_cast<std::int64_t>((bits >> 1) ^ (~(bits & 1) + 1));
}

std::string compress(std::string_view bytes, int level) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  CHECK(context) << "zstd has no memory";
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress2(context.get(), out.data(), out.size(), bytes.data(), bytes.size());
  CHECK(!ZSTD_isError(size)) << ZSTD_getErrorName(size);
  out.resize(size);
  return out;
}

std::optional<std::string> decompress(std::string_view bytes, std::size_t size) {
  // The frame's own size comes first: a damaged one must not make us allocate what it claims.
  if (ZSTD_getFrameContentSize(bytes.data(), bytes.size()) != size) return std::nullopt;
  std::string out(size, '\0');
  const std::size_t got = ZSTD_decompress(out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(got) || got != size) return std::nullopt;
  return out;
}

}  // namespace telemetry
