// SPDX-License-Identifier: Apache-2.0
// Integers in few bytes, and zstd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace telemetry {

void put_varint(std::string& out, std::uint64_t value);
// Small for values near zero, of either sign.
void put_signed(std::string& out, std::int64_t value);
// The difference of any two values; adding it wraps around likewise.
std::int64_t wrapping_difference(std::int64_t value, std::int64_t before);
std::int64_t wrapping_sum(std::int64_t before, std::int64_t difference);

// Reads what the functions above wrote. After the end of the bytes or an invalid number all values are 0 and ok() is
// false.
class ColumnReader {
 public:
  explicit ColumnReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t varint();
  std::int64_t signed_varint();
  bool ok() const { return ok_; }
  std::string_view rest() const { return bytes_; }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

std::string compress(std::string_view bytes, int level);
// nullopt for bytes that are damaged or whose size is not `size`.
std::optional<std::string> decompress(std::string_view bytes, std::size_t size);

}  // namespace telemetry
