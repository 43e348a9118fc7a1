// SPDX-License-Identifier: Apache-2.0
// Bits, the highest first, for the columns of a block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace telemetry {

class BitWriter {
 public:
  explicit BitWriter(std::string& out) : out_(out) {}

  // The low `count` bits, 0 to 64 of them.
  void put(std::uint64_t bits, int count) {
    while (count > 0) {
      const int take = std::min(count, 8 - used_);
      const std::uint64_t part = bits >> (count - take) & ((1u << take) - 1);
      last_ = static_cast<std::uint8_t>(last_ | part << (8 - used_ - take));
      used_ += take;
      count -= take;
      if (used_ == 8) flush();
    }
  }
  // Fills the last byte with zeros.
  void finish() {
    if (used_ > 0) flush();
  }

 private:
  void flush() {
    out_ += static_cast<char>(last_);
    last_ = 0;
    used_ = 0;
  }

  std::string& out_;
  std::uint8_t last_ = 0;
  int used_ = 0;
};

// After the end it is bad and reads zeros.
class BitReader {
 public:
  explicit BitReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t get(int count) {
    std::uint64_t bits = 0;
    while (count > 0) {
      const std::size_t byte = position_ >> 3;
      if (byte >= bytes_.size()) {
        ok_ = false;
        return 0;
      }
      const int used = static_cast<int>(position_ & 7);
      const int take = std::min(count, 8 - used);
      const std::uint64_t part = static_cast<std::uint8_t>(bytes_[byte]) >> (8 - used - take) & ((1u << take) - 1);
      bits = bits << take | part;
      position_ += static_cast<std::size_t>(take);
      count -= take;
    }
    return bits;
  }
  bool ok() const { return ok_; }

 private:
  std::string_view bytes_;
  std::size_t position_ = 0;
  bool ok_ = true;
};

}  // namespace telemetry
