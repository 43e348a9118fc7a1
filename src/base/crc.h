// SPDX-License-Identifier: Apache-2.0
// Reflected CRCs (lowest bit first). All of them use 64 bits of state: a 32-bit CRC is the
// same sum for the polynomial times x^32, and its value is in the low half.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace base {

class Crc {
 public:
  // In reflected notation, without its highest term.
  explicit constexpr Crc(std::uint64_t polynomial);

  // Uses the fastest method that this processor has. Does not invert the state, before or after.
  std::uint64_t update(std::uint64_t state, std::string_view bytes) const;
  // Uses tables, eight bytes at a time, on any processor.
  std::uint64_t update_by_table(std::uint64_t state, std::string_view bytes) const;

  // The CRC of two concatenated byte strings, from the CRC of each: both states, or both inverted.
  std::uint64_t combine(std::uint64_t first, std::uint64_t second, std::uint64_t second_size) const;

 private:
  // Factors for a block's two halves, which move the block a number of bits ahead.
  struct Fold {
    std::uint64_t first, second;
  };

  constexpr std::uint64_t times_x(std::uint64_t value) const;
  constexpr std::uint64_t power_of_x(unsigned exponent) const;
  constexpr Fold fold_by(unsigned bits) const { return {power_of_x(bits + 63), power_of_x(bits - 1)}; }
  std::uint64_t multiply(std::uint64_t a, std::uint64_t b) const;
  std::uint64_t update_by_folding(std::uint64_t state, std::string_view bytes) const;

  std::uint64_t polynomial_;
  std::array<std::array<std::uint64_t, 256>, 8> tables_ = {};  // [i][b]: byte b followed by i bytes
  Fold by_block_, by_four_blocks_;                             // blocks of 128 bits
};

constexpr std::uint64_t Crc::times_x(std::uint64_t value) const { return (value >> 1) ^ (value & 1 ? polynomial_ : 0); }

constexpr std::uint64_t Crc::power_of_x(unsigned exponent) const {
  std::uint64_t value = std::uint64_t(1) << 63;
  for (; exponent > 0; --exponent) value = times_x(value);
  return value;
}

constexpr Crc::Crc(std::uint64_t polynomial)
    : polynomial_(polynomial), by_block_(fold_by(128)), by_four_blocks_(fold_by(512)) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    std::uint64_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = times_x(value);
    tables_[0][byte] = value;
  }
  for (std::size_t i = 1; i < tables_.size(); ++i) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      std::uint64_t before = tables_[i - 1][byte];
      tables_[i][byte] = (before >> 8) ^ tables_[0][before & 0xff];
    }
  }
}

inline constexpr Crc kCrc32(0xedb88320);  // zip, Ethernet
inline constexpr Crc kCrc32c(0x82f63b78);
inline constexpr Crc kCrc64Nvme(0x9a6c9329ac4bc9b5);

}  // namespace base
