// SPDX-License-Identifier: Apache-2.0
// What happens without anybody asking: expired messages go, moved messages move.
// Each loop sleeps until its topic is woken or its next work is due.
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
#include "services/call.h"

namespace control {

// One turn of a loop, in a write transaction; answers when the next is due.
using Turn = std::function<std::optional<base::Time>(services::Call& call)>;

// The same as a coroutine, for what is not one transaction.
using Steps = std::function<boost::asio::awaitable<std::optional<base::Time>>()>;

struct Loop {
  std::string name, topic;
  Turn turn;  // or
  Steps steps = {};
};

class Loops {
 public:
  Loops(http::IoThreads& io, api::Engine& engine, std::vector<Loop> loops);
  // Waits for the turns that are being taken.
  ~Loops();

 private:
  boost::asio::awaitable<void> run(Loop loop);
  boost::asio::awaitable<std::optional<base::Time>> take_turn(Loop& loop);

  api::Engine& engine_;
  std::vector<std::string> names_;
  std::atomic<bool> stopping_ = false;
  std::latch ended_;
};

// All of Stoker's. A machine that is away for `lost_after` is given up.
std::vector<Loop> all_loops(base::Duration lost_after);

}  // namespace control
