// SPDX-License-Identifier: Apache-2.0
// Digests of complete byte strings. Results are raw bytes: use to_hex or to_base64 for text.
// For data that arrives in pieces: checksum.h.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace base {

std::string md5(std::string_view bytes);
std::string sha1(std::string_view bytes);
std::string sha256(std::string_view bytes);

// A prepared key: an HMAC then costs no more than hashing its message.
class HmacSha256Key {
 public:
  explicit HmacSha256Key(std::string_view key);
  ~HmacSha256Key();
  HmacSha256Key(HmacSha256Key&&) noexcept;
  HmacSha256Key& operator=(HmacSha256Key&&) noexcept;

  std::string sign(std::string_view message) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

std::string hmac_sha256(std::string_view key, std::string_view message);

}  // namespace base
