// SPDX-License-Identifier: Apache-2.0
// Moving messages out of a dead-letter queue, in the background.
#pragma once

#include <optional>

#include "services/call.h"

namespace services::sqs {

// Woken when a task is started.
inline constexpr char kMoveTopic[] = "sqs/moves";

// Moves a slice for every running task; answers when to call it again, if ever.
std::optional<base::Time> advance_move_tasks(Call& call);

}  // namespace services::sqs
