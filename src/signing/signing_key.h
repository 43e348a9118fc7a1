// SPDX-License-Identifier: Apache-2.0
// SigV4's signing keys, and a cache of them: deriving a key costs four HMACs, and it is
// valid for a day.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/guarded.h"
#include "base/hash.h"

namespace signing {

struct Credentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token;
};

// What a signing key is valid for.
struct Scope {
  std::string_view date;  // yyyymmdd
  std::string_view region;
  std::string_view service;

  // "20260101/us-east-1/sqs/aws4_request"
  std::string text() const;
};

// Safe to use from several threads at once.
class SigningKey {
 public:
  SigningKey(std::string_view secret_key, const Scope& scope);
  // In lower-case hexadecimal.
  std::string sign(std::string_view text) const;

 private:
  base::HmacSha256Key key_;
};

class SigningKeyCache {
 public:
  static constexpr std::size_t kDefaultCapacity = 1024;
  explicit SigningKeyCache(std::size_t capacity = kDefaultCapacity) : capacity_(capacity) {}

  // Shared, because a key may leave the cache while it is in use.
  std::shared_ptr<const SigningKey> get(const Credentials& credentials, const Scope& scope);

 private:
  struct Entry {
    std::string secret_key;
    std::shared_ptr<const SigningKey> key;
  };

  std::size_t capacity_;
  base::Guarded<std::unordered_map<std::string, Entry>> entries_;
};

}  // namespace signing
