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

// An extension: arn:aws:stoker:<region>:<account>:webhook/<name>.
bool is_webhook(const std::string& arn);

}  // namespace services::events
