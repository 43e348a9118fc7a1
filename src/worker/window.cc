// SPDX-License-Identifier: Apache-2.0
#include "worker/window.h"

#include <algorithm>

namespace worker {
namespace {

constexpr std::chrono::milliseconds kSlice(250);

}  // namespace

void Window::turn(Time now) {
  if (now - since_ < kSlice) return;
  last_ = now - since_ < 2 * kSlice ? current_ : 0;
  current_ = 0;
  since_ = now;
}

void Window::answered(Time now) {
  turn(now);
  ++current_;
}

std::size_t Window::size(Time now) {
  turn(now);
  return std::clamp(last_ + current_, limits_.least, std::max(limits_.least, limits_.most));
}

}  // namespace worker
