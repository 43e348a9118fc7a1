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

  // Returns when the topic, or the topic `also`, is woken after version `seen`, or after the duration `most`.
  boost::asio::awaitable<void> wait(std::string topic, std::uint64_t seen, base::Duration most, std::string also = "");

 private:
  struct Waiter;
  // A waiter in the list of a topic; `place` is its number among the waiter's topics.
  struct Entry {
    std::shared_ptr<Waiter> waiter;  // shared with the waiting coroutine
    std::size_t place;
  };
  using Waiters = std::list<Entry>;
  struct State {
    std::uint64_t version = 1;
    // The version at which a topic was last woken; those of topics that are not in the map are not above `forgotten`.
    // Bounded: most topics are woken once, as those of a task, and never waited for.
    std::unordered_map<std::string, std::uint64_t> woken;
    std::uint64_t forgotten = 0;
    std::unordered_map<std::string, Waiters> waiters;  // in order. No list is empty

    void set_woken(const std::string& topic);
    std::uint64_t last_woken(const std::string& topic) const;
  };

  static std::shared_ptr<Waiter> take_first(Waiters& waiters);

  base::Guarded<State> state_;
};

}  // namespace api
