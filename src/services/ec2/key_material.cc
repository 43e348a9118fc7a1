// SPDX-License-Identifier: Apache-2.0
#include "services/ec2/key_material.h"

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <algorithm>
#include <memory>

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/random.h"

namespace services::ec2 {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Bio = std::unique_ptr<BIO, decltype(&BIO_free_all)>;

constexpr int kRsaBits = 2048;
constexpr std::size_t kEd25519Bytes = 32, kLeastRsaBytes = 128, kMostRsaBytes = 2048, kMaxPublicKey = 16384;

std::string bytes_of(const Bio& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<std::size_t>(size));
}

Bio memory_bio() { return Bio(BIO_new(BIO_s_mem()), &BIO_free_all); }

// Text in the form of SSH's protocol: its length in four bytes, then its bytes.
std::string ssh_string(std::string_view bytes) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>((bytes.size() >> shift) & 0xff);
  return out.append(bytes);
}

// Nothing where the bytes end too early.
std::optional<std::string_view> take_ssh_string(std::string_view& bytes) {
  if (bytes.size() < 4) return std::nullopt;
  std::size_t size = 0;
  for (int i = 0; i < 4; ++i) size = (size << 8) | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
  bytes.remove_prefix(4);
  if (size > bytes.size()) return std::nullopt;
  const std::string_view text = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return text;
}

std::string der(char tag, std::string_view content) {
  std::string out(1, tag);
  if (content.size() < 0x80) {
    out += static_cast<char>(content.size());
  } else if (content.size() < 0x100) {
    out += {static_cast<char>(0x81), static_cast<char>(content.size())};
  } else {
    out += {static_cast<char>(0x82), static_cast<char>(content.size() >> 8), static_cast<char>(content.size() & 0xff)};
  }
  return out.append(content);
}

// SubjectPublicKeyInfo. SSH's numbers have the form of DER's.
std::string rsa_public_der(std::string_view n, std::string_view e) {
  const std::string algorithm = der(0x30, std::string("\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00", 13));
  const std::string key = der(0x30, der(0x02, n) + der(0x02, e));
  return der(0x30, algorithm + der(0x03, std::string(1, '\0') + key));
}

std::string with_colons(std::string_view digest) {
  const std::string hex = base::to_hex(digest);
  std::string text;
  for (std::size_t i = 0; i < hex.size(); i += 2) text += (text.empty() ? "" : ":") + hex.substr(i, 2);
  return text;
}

std::string number_param(const Key& key, const char* name) {
  BIGNUM* number = nullptr;
  CHECK(EVP_PKEY_get_bn_param(key.get(), name, &number) == 1) << "a key without its numbers";
  std::string bytes(static_cast<std::size_t>(BN_num_bytes(number)), '\0');
  BN_bn2bin(number, reinterpret_cast<unsigned char*>(bytes.data()));
  BN_free(number);
  // A leading zero keeps it positive.
  return static_cast<unsigned char>(bytes[0]) >= 0x80 ? std::string(1, '\0') + bytes : bytes;
}

NewKey make_rsa_key() {
  const Key key(EVP_RSA_gen(kRsaBits), &EVP_PKEY_free);
  CHECK(key) << "OpenSSL made no RSA key";
  const Bio pem = memory_bio(), pkcs8 = memory_bio();
  CHECK(PEM_write_bio_PrivateKey_traditional(pem.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1 &&
        i2d_PKCS8PrivateKey_bio(pkcs8.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1)
      << "OpenSSL wrote no RSA key";
  const std::string blob = ssh_string("ssh-rsa") + ssh_string(number_param(key, OSSL_PKEY_PARAM_RSA_E)) +
                           ssh_string(number_param(key, OSSL_PKEY_PARAM_RSA_N));
  // EC2's fingerprint of a key that it made itself: SHA-1 of the private key.
  return {bytes_of(pem), "ssh-rsa " + base::to_base64(blob), with_colons(base::sha1(bytes_of(pkcs8)))};
}

std::string pem_of(std::string_view name, std::string_view bytes) {
  const std::string text = base::to_base64(bytes);
  std::string pem = "-----BEGIN " + std::string(name) + "-----\n";
  for (std::size_t i = 0; i < text.size(); i += 70) pem += text.substr(i, 70) + "\n";
  return pem + "-----END " + std::string(name) + "-----\n";
}

NewKey make_ed25519_key() {
  const Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), &EVP_PKEY_free);
  CHECK(key) << "OpenSSL made no Ed25519 key";
  std::string seed(kEd25519Bytes, '\0'), shared(kEd25519Bytes, '\0');
  std::size_t size = kEd25519Bytes;
  CHECK(EVP_PKEY_get_raw_private_key(key.get(), reinterpret_cast<unsigned char*>(seed.data()), &size) == 1 &&
        EVP_PKEY_get_raw_public_key(key.get(), reinterpret_cast<unsigned char*>(shared.data()), &size) == 1)
      << "OpenSSL wrote no Ed25519 key";
  const std::string blob = ssh_string("ssh-ed25519") + ssh_string(shared);
  // OpenSSH's own format of private keys, without encryption.
  const std::string check = base::random_bytes(4);
  std::string secret = check + check + blob + ssh_string(seed + shared) + ssh_string("");
  for (char pad = 1; secret.size() % 8 != 0; ++pad) secret += pad;
  const std::string file = std::string("openssh-key-v1\0", 15) + ssh_string("none") + ssh_string("none") +
                           ssh_string("") + std::string("\0\0\0\1", 4) + ssh_string(blob) + ssh_string(secret);
  return {pem_of("OPENSSH PRIVATE KEY", file), "ssh-ed25519 " + base::to_base64(blob),
          base::to_base64(base::sha256(blob))};
}

}  // namespace

NewKey make_key(std::string_view type) { return type == "ed25519" ? make_ed25519_key() : make_rsa_key(); }

std::optional<ImportedKey> parse_public_key(std::string_view text) {
  if (text.size() > kMaxPublicKey) return std::nullopt;
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  text = base::trim(text);
  const std::string_view name = text.substr(0, text.find(' '));
  if (name != "ssh-rsa" && name != "ssh-ed25519") return std::nullopt;
  const std::string_view rest = base::trim(text.substr(name.size()));
  const std::string encoded(rest.substr(0, rest.find(' ')));
  const auto blob = base::from_base64(encoded);
  if (!blob) return std::nullopt;
  std::string_view bytes = *blob;
  const auto inner = take_ssh_string(bytes);
  const auto first = take_ssh_string(bytes);
  if (!inner || *inner != name || !first) return std::nullopt;
  const std::string shown = std::string(name) + " " + encoded;
  if (name == "ssh-ed25519") {
    if (first->size() != kEd25519Bytes || !bytes.empty()) return std::nullopt;
    return ImportedKey{"ed25519", shown, base::to_base64(base::sha256(*blob))};
  }
  const auto modulus = take_ssh_string(bytes);
  if (!modulus || !bytes.empty() || modulus->size() < kLeastRsaBytes || modulus->size() > kMostRsaBytes) {
    return std::nullopt;
  }
  // EC2's fingerprint of an imported key: MD5 of the public key.
  return ImportedKey{"rsa", shown, with_colons(base::md5(rsa_public_der(*modulus, *first)))};
}

}  // namespace services::ec2
