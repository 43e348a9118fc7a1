// SPDX-License-Identifier: Apache-2.0
// Does a queue of a million messages cost more than an empty one?
#pragma once

#include <string>

#include "report.h"

namespace bench {

struct DeepPlan {
  std::string program;  // Stoker's
  std::string folder;
  std::int64_t messages = 0;
  Seconds seconds{0};  // to receive for
};

Deep measure_deep(const DeepPlan& plan);

}  // namespace bench
