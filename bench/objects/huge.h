// SPDX-License-Identifier: Apache-2.0
// How much memory does the server take for an object that does not fit memory?
#pragma once

#include <string>

#include "objects/report.h"

namespace bench {

struct HugePlan {
  std::string program;  // Stoker's
  std::string folder;
  std::uint64_t bytes = 0;
};

// In by parts on several connections, as SDKs do, and out by one GET.
Huge measure_huge(const HugePlan& plan);

}  // namespace bench
