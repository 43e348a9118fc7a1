// SPDX-License-Identifier: Apache-2.0
// Compares the cost of the last page of a bucket's listing with the first.
#pragma once

#include <string>

#include "objects/report.h"

namespace bench {

struct ListingPlan {
  std::string program;  // Stoker's
  std::string folder;
  std::uint64_t keys = 0;
};

Listing measure_listing(const ListingPlan& plan);

}  // namespace bench
