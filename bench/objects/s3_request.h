// SPDX-License-Identifier: Apache-2.0
// Requests to a bucket like the newest SDKs' over plain HTTP: signed with
// the body's SHA-256, and with its CRC-32 in a header. The hashes of a body are computed once.
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
  std::string_view key;    // without characters that need escaping; "" for the bucket itself
  std::string_view query;  // escaped and sorted
  const Body* body = nullptr;
};

class S3Requests {
 public:
  S3Requests(const Endpoint& endpoint, std::string bucket);

  // Appends only the head: the body is sent without a copy.
  void append_put(std::string_view key, const Body& body, bool expect_continue, std::string& out);
  void append_get(std::string_view key, std::string& out);
  // All other requests to a bucket.
  void append(const S3Question& question, std::string& out);

  unsigned short port() const { return port_; }

 private:
  // Signed headers besides the host, the date and the payload's hash, which are sorted
  // between the two groups.
  struct Extra {
    std::string_view before, before_value, after, after_value;
    std::string_view signed_headers;
  };
  void append_signed(const S3Question& question, const Extra& extra, std::string_view unsigned_headers,
                     std::string& out);

  unsigned short port_;
  std::string host_, bucket_;
  Signer signer_;
  std::string canonical_;  // a member to reuse its memory
};

}  // namespace bench
