// SPDX-License-Identifier: Apache-2.0
#include "store/work_time.h"

#include <time.h>

namespace store {

std::chrono::nanoseconds thread_time() {
  timespec used = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

std::chrono::nanoseconds steady_time() { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace store
