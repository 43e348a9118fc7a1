// SPDX-License-Identifier: Apache-2.0
// Keeps the messages that the worker holds invisible to others, and notices those that were deleted meanwhile.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "worker/item.h"
#include "worker/queue.h"

namespace worker {

class Visibility {
 public:
  using OnGone = std::function<void(const std::shared_ptr<Message>&)>;

  // `queue` must outlive it. `on_gone` is called once for a message that is no longer in the queue.
  Visibility(Queue& queue, base::Duration visibility, OnGone on_gone);

  void hold(std::shared_ptr<Message> message);
  // From now on somebody else decides about the message.
  void let_go(const Message& message);
  std::vector<std::shared_ptr<Message>> held() const;

  // Extends until it is cancelled.
  boost::asio::awaitable<void> run();

 private:
  struct Held {
    std::shared_ptr<Message> message;  // shared with its items
    std::chrono::steady_clock::time_point due;  // of the next extension
  };

  // At most a call's.
  std::vector<std::shared_ptr<Message>> due_before(std::chrono::steady_clock::time_point time) const;
  boost::asio::awaitable<void> extend(std::vector<std::shared_ptr<Message>> messages);

  Queue& queue_;
  const base::Duration visibility_;
  const OnGone on_gone_;
  std::map<std::string, Held> held_;  // by receipt
};

}  // namespace worker
