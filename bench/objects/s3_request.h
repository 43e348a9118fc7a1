// SPDX-License-Identifier: Apache-2.0
// Requests to a bucket as the newest SDKs send them over plain HTTP: signed together with
// the body's SHA-256, and with its CRC-32 in a header. The hashes are the body's own, and
// made once.
#pragma once

#include <string>
#include <string_view>

#include "support/signer.h"

namespace bench {

struct Body {
  explicit Body(std::string bytes);

  std::string bytes;
  std::string sha256_hex, crc32_base64;
};

struct S3Question {
  std::string_view method;
  std::string_view key;    // of characters that need no escape; "" for the bucket itself
  std::string_view query;  // escaped, and in order
  const Body* body = nullptr;
};

class S3Requests {
 public:
  S3Requests(const Endpoint& endpoint, std::string bucket);

  // Appends the head alone: the body can go out as it is.
  void append_put(std::string_view key, const Body& body, bool expect_continue, std::string& out);
  void append_get(std::string_view key, std::string& out);
  // Everything else that is said to a bucket.
  void append(const S3Question& question, std::string& out);

  unsigned short port() const { return port_; }

 private:
  // Headers that are signed beside the host, the date and the payload's hash, which stand
  // between those that sort before them and those that sort after.
  struct Extra {
    std::string_view before, before_value, after, after_value;
    std::string_view signed_headers;
  };
  void append_signed(const S3Question& question, const Extra& extra, std::string_view unsigned_headers,
                     std::string& out);

  unsigned short port_;
  std::string host_, bucket_;
  Signer signer_;
  std::string canonical_;  // kept for its memory
};

}  // namespace bench
