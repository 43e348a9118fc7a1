// SPDX-License-Identifier: Apache-2.0
// Wakes every waiting coroutine when something has changed. All run on one thread, so nothing changes between
// a coroutine's check and its wait, and no notification is lost.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <set>

#include "base/time.h"

namespace http {

class Signal {
 public:
  void notify();
  // Returns at the next notify(), or after `longest`.
  boost::asio::awaitable<void> wait(base::Duration longest);

 private:
  std::set<boost::asio::steady_timer*> waiting_;
};

// Every wait has a deadline. This one is for waits that should only end by an event.
inline constexpr base::Duration kLongestWait = std::chrono::minutes(1);

boost::asio::awaitable<void> sleep_for(base::Duration duration);

}  // namespace http
