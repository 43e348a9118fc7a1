// SPDX-License-Identifier: Apache-2.0
// Reports to the pipeline which jobs run here. Best effort: items never wait for it.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/describe/class.hpp>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "client/async_client.h"
#include "http/signal.h"
#include "worker/item.h"

namespace worker {

struct JobReport {
  std::string bucket, key, sequencer;
  std::int32_t attempt = 1;
  std::string status = "RUNNING";
};
BOOST_DESCRIBE_STRUCT(JobReport, (), (bucket, key, sequencer, attempt, status))

class Reports {
 public:
  // `client` must outlive it.
  Reports(client::AsyncClient& client, std::string pipeline, std::string task);

  void started(const Item& item);
  // Sends until it is cancelled.
  boost::asio::awaitable<void> run();

 private:
  client::AsyncClient& client_;
  const std::string pipeline_, task_;
  std::deque<JobReport> waiting_;
  http::Signal changed_;
};

}  // namespace worker
