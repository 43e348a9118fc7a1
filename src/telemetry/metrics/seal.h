// SPDX-License-Identifier: Apache-2.0
// Moves points from the journal and the head into blocks, some at a time.
#pragma once

#include <functional>
#include <optional>

#include "base/time.h"
#include "store/store.h"
#include "telemetry/metrics/metric_store.h"

namespace telemetry {

// A stream is sealed with this many points, or when its oldest point is this old.
inline constexpr std::size_t kSealPoints = 1024;
inline constexpr base::Duration kSealAge = std::chrono::hours(2);
// Everything is sealed when the journal is this large.
inline constexpr std::int64_t kSealJournalBytes = 128 << 20;
inline constexpr std::size_t kSealJournalBatches = 100'000;

// Whether sealing is due. A comparison of numbers: call it after each put.
bool is_seal_due(const Head& head, base::Time now);

// What a loop is to do next (services::Decision has the same members).
struct SealStep {
  std::function<void(store::Tx&)> apply = {};
  std::optional<base::Time> next = {};
};

class Sealer {
 public:
  // Decides on a slice: blocks are encoded here, and written by `apply`.
  SealStep look(MetricStore& metrics, base::Time now);

 private:
  struct Pass {
    SealRule rule;
    std::size_t cursor = 0;
  };
  SealStep seal_slice(Head& head, base::Time now);

  std::optional<Pass> pass_;
  bool passed_ = false;         // a pass has ended, and the journal can be shortened
  BatchId delete_to_ = 0;
};

}  // namespace telemetry
