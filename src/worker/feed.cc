// SPDX-License-Identifier: Apache-2.0
#include "worker/feed.h"

#include <algorithm>

namespace worker {

Feed next_feed(const FeedRules& rules, const FeedState& state, Steady::time_point now) {
  if (state.ready == 0 || state.holds_alone || state.batches >= kBatchesAhead) return {};
  if (state.alone) return {state.batches == 0 ? std::size_t(1) : std::size_t(0)};
  if (state.ready >= rules.batch) return {rules.batch};
  if (state.batches > 0) return {};
  const Steady::time_point due = state.since + rules.linger;
  if (now >= due) return {std::min(state.ready, rules.batch)};
  return {0, due};
}

}  // namespace worker
