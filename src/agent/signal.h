// SPDX-License-Identifier: Apache-2.0
// "Something has changed": wakes every coroutine that waits. All on one thread, so what a waiter
// looked at before it waits can't change in between, and no wake is lost.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <set>

#include "base/time.h"

namespace agent {

class Signal {
 public:
  void notify();
  // Until the next notify(), or for that long.
  boost::asio::awaitable<void> wait(base::Duration longest);

 private:
  std::set<boost::asio::steady_timer*> waiting_;
};

// Every wait has a deadline; this one is for those that only an event ends.
inline constexpr base::Duration kLookAgain = std::chrono::minutes(1);

boost::asio::awaitable<void> sleep_for(base::Duration duration);

}  // namespace agent
