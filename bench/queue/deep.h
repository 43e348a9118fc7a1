// SPDX-License-Identifier: Apache-2.0
// Compares the cost of a queue of a million messages with an empty one.
#pragma once

#include <string>

#include "report.h"

namespace bench {

struct DeepPlan {
  std::string program;  // Stoker's
  std::string folder;
  std::int64_t messages = 0;
  Seconds seconds{0};  // duration of the receives
};

Deep measure_deep(const DeepPlan& plan);

}  // namespace bench
