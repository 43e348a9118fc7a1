// SPDX-License-Identifier: Apache-2.0
// Topics: what a commit wakes, and what long polls and loops wait for. A wake is
// never lost: a waiter states the version that it read before it looked at the database, and does not wait if
// the topic was woken since.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "base/time.h"
#include "services/call.h"

namespace api {

class Topics {
 public:
  // The version of all topics. Read it before looking at the database.
  std::uint64_t seen() const;

  // Wakes the `most` waiters that have waited longest. So a waiter that leaves, with or without a result, wakes one
  // more.
  void wake(const std::string& topic, std::size_t most = services::Wake::kAll);
  void wake(const std::vector<services::Wake>& wakes);
  // Wakes all waiters of all topics.
  void wake_all();

  // Returns when the topic is woken after version `seen`, or after the duration `most`.
  boost::asio::awaitable<void> wait(std::string topic, std::uint64_t seen, base::Duration most);

 private:
  struct Waiter;
  using Waiters = std::list<std::shared_ptr<Waiter>>;
  struct Topic {
    std::uint64_t woken = 0;
    Waiters waiters;  // in order; shared with the waiting coroutine
  };
  struct State {
    std::uint64_t version = 1;
    std::uint64_t forgotten = 0;  // topics that are not in the map may have been woken up to this version
    std::unordered_map<std::string, Topic> topics;
  };

  base::Guarded<State> state_;
};

}  // namespace api
