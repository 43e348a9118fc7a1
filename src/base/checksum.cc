// SPDX-License-Identifier: Apache-2.0
// OpenSSL's low-level digests: see hash.cc for the reason.
#include "base/checksum.h"

#include <openssl/md5.h>
#include <openssl/sha.h>

#include <variant>

#include "base/check.h"
#include "base/crc.h"

namespace base {
namespace {

struct CrcSum {
  const Crc& kind;
  std::size_t size_bytes;
  std::uint64_t state;
};

// Null for a checksum that is not a CRC.
const Crc* crc_of(Checksum kind) {
  switch (kind) {
    case Checksum::Crc32: return &kCrc32;
    case Checksum::Crc32c: return &kCrc32c;
    case Checksum::Crc64Nvme: return &kCrc64Nvme;
    default: return nullptr;
  }
}

std::size_t size_of_crc(Checksum kind) { return kind == Checksum::Crc64Nvme ? 8 : 4; }

std::string to_bytes(std::uint64_t value, std::size_t size) {
  std::string out(size, '\0');
  for (std::size_t i = size; i > 0; --i, value >>= 8) out[i - 1] = static_cast<char>(value & 0xff);
  return out;
}

std::uint64_t from_bytes(std::string_view bytes) {
  std::uint64_t value = 0;
  for (char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

using Sum = std::variant<MD5_CTX, SHA_CTX, SHA256_CTX, CrcSum>;

void update_sum(MD5_CTX& sum, std::string_view bytes) { MD5_Update(&sum, bytes.data(), bytes.size()); }
void update_sum(SHA_CTX& sum, std::string_view bytes) { SHA1_Update(&sum, bytes.data(), bytes.size()); }
void update_sum(SHA256_CTX& sum, std::string_view bytes) { SHA256_Update(&sum, bytes.data(), bytes.size()); }
void update_sum(CrcSum& sum, std::string_view bytes) { sum.state = sum.kind.update(sum.state, bytes); }

unsigned char* data(std::string& bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

std::string finish_sum(MD5_CTX& sum) {
  std::string out(MD5_DIGEST_LENGTH, '\0');
  MD5_Final(data(out), &sum);
  return out;
}
std::string finish_sum(SHA_CTX& sum) {
  std::string out(SHA_DIGEST_LENGTH, '\0');
  SHA1_Final(data(out), &sum);
  return out;
}
std::string finish_sum(SHA256_CTX& sum) {
  std::string out(SHA256_DIGEST_LENGTH, '\0');
  SHA256_Final(data(out), &sum);
  return out;
}
std::string finish_sum(CrcSum& sum) { return to_bytes(~sum.state, sum.size_bytes); }

Sum start_sum(Checksum kind) {
  if (const Crc* crc = crc_of(kind)) {
    const std::size_t size = size_of_crc(kind);
    return CrcSum{*crc, size, ~std::uint64_t(0) >> (64 - 8 * size)};
  }
  MD5_CTX md5;
  SHA_CTX sha1;
  SHA256_CTX sha256;
  switch (kind) {
    case Checksum::Md5: MD5_Init(&md5); return md5;
    case Checksum::Sha1: SHA1_Init(&sha1); return sha1;
    default: SHA256_Init(&sha256); return sha256;
  }
}

}  // namespace

struct Hasher::State {
  Sum sum;
};

Hasher::Hasher(Checksum kind) : state_(std::make_unique<State>(State{start_sum(kind)})) {}
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

void Hasher::update(std::string_view bytes) {
  std::visit([&](auto& sum) { update_sum(sum, bytes); }, state_->sum);
}

std::string Hasher::finish() {
  return std::visit([](auto& sum) { return finish_sum(sum); }, state_->sum);
}

std::string combine_crc(Checksum kind, std::string_view first, std::string_view second, std::uint64_t second_size) {
  const Crc* crc = crc_of(kind);
  CHECK(crc) << "only CRCs can be combined";
  const std::size_t size = size_of_crc(kind);
  CHECK(first.size() == size && second.size() == size) << "a CRC has the wrong size";
  return to_bytes(crc->combine(from_bytes(first), from_bytes(second), second_size), size);
}

}  // namespace base
