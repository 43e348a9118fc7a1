// SPDX-License-Identifier: Apache-2.0
// What an operator configures about services.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/time.h"
#include "services/quota.h"

namespace services {

struct Options {
  // The data folder: Logs has its chunks there. The server sets it.
  std::string data = {};
  // ECS: a machine whose agent is disconnected for this long is lost, and its tasks are stopped. Long, because
  // an hour's network outage must not end a day's training, and the GPUs can't be used meanwhile anyway.
  base::Duration lost_after = std::chrono::minutes(65);
  // EC2: a file of instance types that adds to the built-in ones, or replaces them (model/instance_types.h). "": none.
  std::string instance_types_file = {};
  // Auto Scaling: the period of the alarms of target tracking policies whose metric states none. 10, 20, 30 or 60 s.
  base::Duration tracking_period = std::chrono::seconds(60);
  // Exec: a session without input and output ends then; and any session, where a maximum is set.
  base::Duration exec_idle = std::chrono::minutes(20);
  std::optional<base::Duration> exec_longest = {};
  // S3: a new notification configuration sends Amazon's s3:TestEvent to each of its queues.
  bool test_events = true;
  // Pipelines: webhooks may be on this machine and in private networks. The server sets it.
  bool webhook_private_networks = false;
  // What accounts may store.
  Quotas quotas = {};
};

}  // namespace services
