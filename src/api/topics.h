// SPDX-License-Identifier: Apache-2.0
// Topics: what a commit wakes, and what long polls and loops wait for. A wake is
// never lost: a waiter says what it had seen before it looked, and a topic that was
// woken since does not make it wait.
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
  // Everything up to now. Read it before you look.
  std::uint64_t seen() const;

  // The `most` who have waited longest. The others do not learn of it; so whoever has
  // waited and leaves, with or without what they waited for, wakes one more.
  void wake(const std::string& topic, std::size_t most = services::Wake::kAll);
  void wake(const std::vector<services::Wake>& wakes);
  // Everybody, whatever they wait for.
  void wake_all();

  // Returns when the topic was woken after `seen`, or after `most`.
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
    std::uint64_t forgotten = 0;  // topics that are not in the map may have been woken up to here
    std::unordered_map<std::string, Topic> topics;
  };

  base::Guarded<State> state_;
};

}  // namespace api
