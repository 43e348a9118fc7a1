// SPDX-License-Identifier: Apache-2.0
// Checksums of data that arrives in pieces.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace base {

enum class Checksum { Md5, Crc32, Crc32c, Crc64Nvme, Sha1, Sha256 };

class Hasher {
 public:
  explicit Hasher(Checksum kind);
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;

  void update(std::string_view bytes);
  // Raw bytes; a CRC is big-endian. The last call on a hasher.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The CRC of two concatenated byte strings, from the result of finish() for each. Only for CRCs.
std::string combine_crc(Checksum kind, std::string_view first, std::string_view second, std::uint64_t second_size);

}  // namespace base
