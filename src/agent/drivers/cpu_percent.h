// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

namespace agent::drivers {

// 100 is one core. 0 when no time has passed or the counter was reset.
inline double cpu_percent(std::int64_t used_nanos, std::chrono::nanoseconds elapsed) {
  if (elapsed.count() <= 0 || used_nanos < 0) return 0;
  return 100.0 * double(used_nanos) / double(elapsed.count());
}

}  // namespace agent::drivers
