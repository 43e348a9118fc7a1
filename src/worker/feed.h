// SPDX-License-Identifier: Apache-2.0
// Decides when a --serve process gets its next batch, and of how many items. Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

#include "base/time.h"

namespace worker {

using Steady = std::chrono::steady_clock;

struct FeedRules {
  std::size_t batch = 1;
  base::Duration linger = base::Duration(0);
};

struct FeedState {
  std::size_t ready = 0;         // items that can be written, up to the first that must be alone
  bool alone = false;            // the first one must be alone in the process
  Steady::time_point since = {};  // when the first one became ready
  std::size_t batches = 0;       // in the process, not answered completely
  bool holds_alone = false;      // the process has an item that must be alone
};

struct Feed {
  std::size_t items = 0;                          // to write now
  std::optional<Steady::time_point> look_at = {};  // decide again at this time, if nothing happens before
};

// A process has at most kBatchesAhead batches: one that it computes and those in its input, so that it need not wait
// for the next. Only full batches are written ahead: an incomplete one may still grow.
inline constexpr std::size_t kBatchesAhead = 2;

Feed next_feed(const FeedRules& rules, const FeedState& state, Steady::time_point now);

}  // namespace worker
