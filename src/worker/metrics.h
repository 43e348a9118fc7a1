// SPDX-License-Identifier: Apache-2.0
// Counts items, failures and busy time, and publishes them to CloudWatch.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <string>

#include "client/async_client.h"

namespace worker {

struct Counts {
  std::int64_t items = 0;     // that have a result
  std::int64_t failures = 0;  // attempts that failed
  double busy_seconds = 0;    // with at least one item in the processor

  bool empty() const { return items == 0 && failures == 0 && busy_seconds == 0; }
};

class Metrics {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `client` must outlive it. The dimension is "Pipeline" or "Queue", and its value.
  Metrics(client::AsyncClient& client, std::string dimension, std::string value);

  void finished() { ++counts_.items; }
  void failed() { ++counts_.failures; }
  // An item enters or leaves the processor.
  void enter(Time now);
  void leave(Time now);

  // The counts since the last call.
  Counts take(Time now);
  // Publishes once a minute until it is cancelled.
  boost::asio::awaitable<void> run();
  // At exit.
  boost::asio::awaitable<void> publish();

 private:
  client::AsyncClient& client_;
  const std::string dimension_, value_;
  Counts counts_;
  std::size_t inside_ = 0;
  Time busy_since_ = {};
};

}  // namespace worker
