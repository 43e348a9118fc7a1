// SPDX-License-Identifier: Apache-2.0
// Turns items into results. There are two: a command per item (exec), and a process that stays (serve).
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>

#include "worker/item.h"

namespace worker {

// Called when the work on an item begins.
using OnStart = std::function<void(const Item&)>;

class Processor {
 public:
  virtual ~Processor() = default;

  // Returns when the item has an answer. `item` must outlive the call. Several calls run at once.
  virtual boost::asio::awaitable<Answer> answer(Item& item) = 0;
  // Nobody wants the item any more: its answer() returns soon, with Cancelled.
  virtual void cancel(Item& item) = 0;
  // Ends its processes. Pending answers stay pending.
  virtual boost::asio::awaitable<void> stop() = 0;
};

}  // namespace worker
