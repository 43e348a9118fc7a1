// SPDX-License-Identifier: Apache-2.0
// The requests of clients of a bucket to Stoker, and of a web server to nginx.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "objects/s3_request.h"
#include "support/load.h"

namespace bench {

// The names that a connection cycles through: "put/7/0" to "put/7/99".
struct Names {
  std::string prefix;
  std::uint64_t count = 1;

  std::string at(std::uint64_t number) const { return prefix + std::to_string(number % count); }
};

struct PutPlan {
  Names names;
  const Body* body = nullptr;
  bool expect_continue = false;   // waits for 100 Continue, like botocore
  std::uint64_t* next = nullptr;  // the number of the next name; shared by connections with the same names
  std::uint64_t end = ~std::uint64_t(0);
};

struct GetPlan {
  Names names;
  std::uint64_t first = 0;  // connections begin with different names
  std::uint64_t count = ~std::uint64_t(0);
  const Body* body = nullptr;  // the expected body
  bool compare = false;        // compares each byte; else only the length
};

// One bucket of one server. All connections share its requests.
class S3Bucket {
 public:
  // Creates the bucket.
  S3Bucket(const Endpoint& endpoint, const std::string& name);
  // For a server with folders instead of buckets.
  static S3Bucket unmade(const Endpoint& endpoint, const std::string& name);

  std::unique_ptr<Conversation> putter(const PutPlan& plan) const;
  std::unique_ptr<Conversation> getter(const GetPlan& plan) const;

  // Sends one request; returns the whole body of the response.
  std::string ask(const S3Question& question) const;

  unsigned short port() const { return requests_->port(); }

 private:
  explicit S3Bucket(std::shared_ptr<S3Requests> requests) : requests_(std::move(requests)) {}

  std::shared_ptr<S3Requests> requests_;  // shared with the conversations
};

// The text between <name> and </name>; "" if it is absent.
std::string_view element(std::string_view xml, std::string_view name);

}  // namespace bench
