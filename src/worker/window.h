// SPDX-License-Identifier: Apache-2.0
// How many items a worker holds: as many as it answered in the last half second, so that its processor never waits for
// the network, and no more, so that other workers get their part. Pure.
#pragma once

#include <chrono>
#include <cstddef>

namespace worker {

struct WindowLimits {
  std::size_t least = 2;
  std::size_t most = 256;
};

class Window {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Window(WindowLimits limits) : limits_(limits) {}

  void answered(Time now);
  std::size_t size(Time now);

 private:
  void turn(Time now);

  WindowLimits limits_;
  Time since_ = {};         // of the current slice
  std::size_t current_ = 0;  // answers in it
  std::size_t last_ = 0;     // in the slice before
};

}  // namespace worker
