// SPDX-License-Identifier: Apache-2.0
// What clients of a bucket say to Stoker, and those of a web server to nginx.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "objects/s3_request.h"
#include "support/load.h"

namespace bench {

// Names that a connection uses in turn: "put/7/0" to "put/7/99".
struct Names {
  std::string prefix;
  std::uint64_t count = 1;

  std::string at(std::uint64_t number) const { return prefix + std::to_string(number % count); }
};

struct PutPlan {
  Names names;
  const Body* body = nullptr;
  bool expect_continue = false;   // waits to be told to go on, as botocore does
  std::uint64_t* next = nullptr;  // the number of the next name; shared by whoever shares the names
  std::uint64_t end = ~std::uint64_t(0);
};

struct GetPlan {
  Names names;
  std::uint64_t first = 0;  // not all connections begin with the same
  std::uint64_t count = ~std::uint64_t(0);
  const Body* body = nullptr;  // what is to come
  bool compare = false;        // each byte; else only their number
};

// One bucket of one server. Its requests are shared by all that talk to it.
class S3Bucket {
 public:
  // Makes the bucket.
  S3Bucket(const Endpoint& endpoint, const std::string& name);
  // For a server that has folders, not buckets.
  static S3Bucket unmade(const Endpoint& endpoint, const std::string& name);

  std::unique_ptr<Conversation> putter(const PutPlan& plan) const;
  std::unique_ptr<Conversation> getter(const GetPlan& plan) const;

  // One question; its answer's whole body.
  std::string ask(const S3Question& question) const;

  unsigned short port() const { return requests_->port(); }

 private:
  explicit S3Bucket(std::shared_ptr<S3Requests> requests) : requests_(std::move(requests)) {}

  std::shared_ptr<S3Requests> requests_;  // shared with the conversations, which come and go
};

// What stands between <name> and </name>; "" where it does not.
std::string_view element(std::string_view xml, std::string_view name);

}  // namespace bench
