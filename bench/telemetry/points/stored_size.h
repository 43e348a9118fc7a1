// SPDX-License-Identifier: Apache-2.0
// What the points of a stopped server take on disk.
#pragma once

#include <cstdint>
#include <string>

namespace bench {

struct StoredSize {
  std::int64_t blocks = 0, bytes = 0, points = 0;  // of one-second blocks
  std::int64_t journal_points = 0;

  double points_per_block() const { return blocks ? static_cast<double>(points) / static_cast<double>(blocks) : 0; }
  double bytes_per_point() const { return points ? static_cast<double>(bytes) / static_cast<double>(points) : 0; }
};

StoredSize stored_size(const std::string& folder);

}  // namespace bench
