// SPDX-License-Identifier: Apache-2.0
// The server's memory for an object that is larger than memory.
#pragma once

#include <string>

#include "objects/report.h"

namespace bench {

struct HugePlan {
  std::string program;  // Stoker's
  std::string folder;
  std::uint64_t bytes = 0;
};

// Uploads in parts on several connections, like SDKs, and downloads with one GET.
Huge measure_huge(const HugePlan& plan);

}  // namespace bench
