// SPDX-License-Identifier: Apache-2.0
// Rows of targets.
#pragma once

#include <string>
#include <vector>

#include "services/call.h"
#include "shapes/events/target.h"

namespace services::events {

// By id.
std::vector<shapes::events::Target> list_targets(Call& call, std::int64_t rule);

enum class TargetKind {
  Queue,
  Webhook,  // an extension: arn:aws:stoker:<region>:<account>:webhook/<name>
  Bus,
  LogGroup,
  Foreign,  // of a service of Amazon's that Stoker does not have, so that the target does not exist
  Unsupported,
};
TargetKind kind_of(const std::string& arn);

// "/aws/events/all" of its ARN, with or without ":*" at the end; "" for other ARNs.
std::string log_group_of(const std::string& arn);

}  // namespace services::events
