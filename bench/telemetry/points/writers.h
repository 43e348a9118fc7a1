// SPDX-License-Identifier: Apache-2.0
// Connections that write points: PutMetricData of Stoker, remote write of Prometheus.
#pragma once

#include <memory>

#include "support/load.h"
#include "support/signer.h"

namespace bench {

// Each writes its own groups of series, in turn: connection i has groups i, i + step, ... below `groups`.
struct Share {
  int first = 0, step = 1, groups = 1;
  std::int64_t first_second = 0;
};

std::unique_ptr<Conversation> stoker_writer(const Endpoint& endpoint, const Share& share);
std::unique_ptr<Conversation> prometheus_writer(unsigned short port, const Share& share);

// One series, `count` points, one a second.
std::unique_ptr<Conversation> backfill_writer(const Endpoint& endpoint, std::int64_t first_second, int count);
// GetMetricStatistics over that series, by hours.
std::unique_ptr<Conversation> week_reader(const Endpoint& endpoint, std::int64_t first_second, int days);

}  // namespace bench
