// SPDX-License-Identifier: Apache-2.0
// What an operator decides about services when the server starts.
#pragma once

#include <chrono>

#include "base/time.h"

namespace services {

struct Options {
  // ECS: a machine whose agent was away for this long is lost, and its tasks are stopped. Long, because its
  // GPUs can't be used meanwhile anyway, and an hour's network outage must not end a day's training.
  base::Duration lost_after = std::chrono::minutes(65);
  // S3: a new notification configuration sends Amazon's s3:TestEvent to each of its queues.
  bool test_events = true;
};

}  // namespace services
