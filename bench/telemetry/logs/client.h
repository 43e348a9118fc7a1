// SPDX-License-Identifier: Apache-2.0
// The requests of clients of a log group.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/load.h"
#include "support/signer.h"

namespace bench {

inline constexpr int kEventsARequest = 1000;
inline constexpr int kStreams = 16;

class LogsRequest {
 public:
  LogsRequest(const Endpoint& endpoint, std::string operation);

  void append(std::string_view body, std::string& out);

 private:
  void render();

  Signer signer_;
  std::string host_, target_, head_, canonical_;
};

// Creates the group "bench" and its streams.
void create_group(const Endpoint& endpoint);

// The body of PutLogEvents with the lines from `first` on.
std::string put_body(int stream, std::uint64_t first, std::int64_t start_ms);

// Puts the bodies in turn, without end.
std::unique_ptr<Conversation> repeating_putter(const Endpoint& endpoint, std::shared_ptr<const std::vector<std::string>> bodies,
                                               std::size_t first);
// Puts new lines until `next` reaches `end`.
struct Feed {
  std::uint64_t next = 0, end = 0;
  std::int64_t start_ms = 0;
};
std::unique_ptr<Conversation> feeding_putter(const Endpoint& endpoint, int stream, Feed* feed);

struct Found {
  std::uint64_t events = 0, pages = 0;
};
// All pages of FilterLogEvents with this pattern. `range` is "" or JSON members.
Found filter_all(const Endpoint& endpoint, const std::string& pattern, const std::string& range = "");

// The member of an answer of DescribeLogGroups that holds the bytes that the group counts.
std::uint64_t stored_bytes(const Endpoint& endpoint);

}  // namespace bench
