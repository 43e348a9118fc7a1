// SPDX-License-Identifier: Apache-2.0
// What an operator configures about services.
#pragma once

#include <chrono>
#include <string>

#include "base/time.h"

namespace services {

struct Options {
  // The data folder: Logs has its chunks there. The server sets it.
  std::string data = {};
  // ECS: a machine whose agent is disconnected for this long is lost, and its tasks are stopped. Long, because
  // an hour's network outage must not end a day's training, and the GPUs can't be used meanwhile anyway.
  base::Duration lost_after = std::chrono::minutes(65);
  // EC2: a file of instance types that adds to the built-in ones, or replaces them (model/instance_types.h). "": none.
  std::string instance_types_file = {};
  // S3: a new notification configuration sends Amazon's s3:TestEvent to each of its queues.
  bool test_events = true;
};

}  // namespace services
