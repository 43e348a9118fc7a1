// SPDX-License-Identifier: Apache-2.0
// Objects of one size: puts beside plain files, gets beside nginx.
#pragma once

#include <string>
#include <vector>

#include "objects/report.h"

namespace bench {

struct RoundPlan {
  std::string program;  // Stoker's
  std::string folder;
  std::uint64_t size = 0;
  std::vector<int> connections;
  Seconds seconds{0};  // for each load
  int rounds = 1;
  bool put = true, get = true, peers = true;
  bool expect_continue = false;
};

void measure_size(const RoundPlan& plan, Report& report);

}  // namespace bench
