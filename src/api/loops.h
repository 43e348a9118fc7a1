// SPDX-License-Identifier: Apache-2.0
// Background work: each loop sleeps until its topic is woken or its next turn is due.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <latch>
#include <optional>
#include <string>
#include <vector>

#include "api/engine.h"
#include "base/time.h"
#include "http/io_threads.h"
#include "services/module.h"

namespace api {

struct Loop {
  // One turn; the result is when the next is due. A turn that throws is logged and taken again after a pause.
  using Turn = std::function<boost::asio::awaitable<std::optional<base::Time>>()>;

  std::string name, topic;
  Turn turn;
};

// A service's loop: it looks on a snapshot and applies its decision in a write transaction. `engine` outlives it.
Loop make_loop(Engine& engine, services::Loop loop);

class Loops {
 public:
  Loops(http::IoThreads& io, Engine& engine, std::vector<Loop> loops);
  // Waits for turns under way.
  ~Loops();

 private:
  boost::asio::awaitable<void> run(Loop loop);

  Engine& engine_;
  std::vector<std::string> topics_;
  std::atomic<bool> stopping_ = false;
  std::latch ended_;
};

}  // namespace api
