// SPDX-License-Identifier: Apache-2.0
// OpenSSL's low-level digests, on purpose: the EVP interface of OpenSSL 3 looks
// its algorithm up and allocates for each digest, which costs more than hashing
// a small message does.
#include "base/hash.h"

#include <openssl/md5.h>
#include <openssl/sha.h>

#include <array>

namespace base {
namespace {

const unsigned char* octets(std::string_view bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }
unsigned char* octets(std::string& bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

std::string finish(SHA256_CTX& context) {
  std::string out(SHA256_DIGEST_LENGTH, '\0');
  SHA256_Final(octets(out), &context);
  return out;
}

}  // namespace

std::string md5(std::string_view bytes) {
  MD5_CTX context;
  MD5_Init(&context);
  MD5_Update(&context, bytes.data(), bytes.size());
  std::string out(MD5_DIGEST_LENGTH, '\0');
  MD5_Final(octets(out), &context);
  return out;
}

std::string sha1(std::string_view bytes) {
  std::string out(SHA_DIGEST_LENGTH, '\0');
  SHA1(octets(bytes), bytes.size(), octets(out));
  return out;
}

std::string sha256(std::string_view bytes) {
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, bytes.data(), bytes.size());
  return finish(context);
}

struct HmacSha256Key::State {
  SHA256_CTX inner, outer;
};

HmacSha256Key::HmacSha256Key(std::string_view key) {
  std::string short_key = key.size() > SHA256_CBLOCK ? sha256(key) : std::string(key);
  short_key.resize(SHA256_CBLOCK, '\0');
  auto state = std::make_unique<State>();
  std::array<unsigned char, SHA256_CBLOCK> block;
  auto start = [&](SHA256_CTX& context, unsigned char pad) {
    for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<unsigned char>(short_key[i]) ^ pad;
    SHA256_Init(&context);
    SHA256_Update(&context, block.data(), block.size());
  };
  start(state->inner, 0x36);
  start(state->outer, 0x5c);
  state_ = std::move(state);
}
HmacSha256Key::~HmacSha256Key() = default;
HmacSha256Key::HmacSha256Key(HmacSha256Key&&) noexcept = default;
HmacSha256Key& HmacSha256Key::operator=(HmacSha256Key&&) noexcept = default;

std::string HmacSha256Key::sign(std::string_view message) const {
  SHA256_CTX context = state_->inner;
  SHA256_Update(&context, message.data(), message.size());
  std::string inner = finish(context);
  context = state_->outer;
  SHA256_Update(&context, inner.data(), inner.size());
  return finish(context);
}

std::string hmac_sha256(std::string_view key, std::string_view message) { return HmacSha256Key(key).sign(message); }

}  // namespace base
