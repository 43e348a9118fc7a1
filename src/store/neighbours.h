// SPDX-License-Identifier: Apache-2.0
// Whether several accounts use the store at present.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "store/work_time.h"

namespace store {

// Longer than the pauses of a client that sends one request after the other.
inline constexpr std::chrono::seconds kNeighbourTime{1};

// May be used by all threads.
class Neighbours {
 public:
  using Now = std::function<std::chrono::nanoseconds()>;

  explicit Neighbours(Now now = &steady_time) : now_(std::move(now)) {}

  // A work of this account has arrived. The server's own works ("") do not count.
  void used_by(const std::string& account);
  // Whether works of different accounts followed one another within the last second.
  bool present() const { return now_().count() < until_ns_.load(std::memory_order_relaxed); }

 private:
  const Now now_;
  std::atomic<std::size_t> last_{0};  // hash of the account of the last work; 0 before the first one
  std::atomic<std::chrono::nanoseconds::rep> until_ns_{0};
};

}  // namespace store
