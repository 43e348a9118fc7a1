// SPDX-License-Identifier: Apache-2.0
// Which events of a group are sent to which queue: a row for each pair.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "services/autoscaling/groups/group.h"
#include "services/call.h"
#include "store/store.h"

namespace services::autoscaling {

struct NotificationRow {
  std::int64_t number = 0;
  std::int64_t group = 0;
  std::string group_name;
  std::string topic;  // the ARN of a queue
  std::string type;   // "autoscaling:EC2_INSTANCE_LAUNCH"
};

inline constexpr char kTestNotification[] = "autoscaling:TEST_NOTIFICATION";

std::vector<NotificationRow> list_notifications(store::Tx& tx, std::int64_t group);

std::string test_message(const Call& call, const Group& group);
// Throws wire::ApiError where the queue rejects it.
void send_to_queue(Call& call, const Group& group, const std::string& queue, const std::string& body);

}  // namespace services::autoscaling
