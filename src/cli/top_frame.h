// SPDX-License-Identifier: Apache-2.0
// The screen of `stoker top` as lines of text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/top_snapshot.h"

namespace cli {

struct FrameSize {
  std::size_t columns = 80, rows = 24;
};

struct FrameLine {
  std::string text;      // without control characters, at most as wide as the frame
  bool heading = false;  // of a table
};

// At most as many lines as the frame has rows. Where not all rows of a table fit, its last one says how many are
// missing.
std::vector<FrameLine> make_frame(const TopSnapshot& snapshot, const FrameSize& size);

}  // namespace cli
