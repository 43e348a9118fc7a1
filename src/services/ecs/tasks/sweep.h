// SPDX-License-Identifier: Apache-2.0
// Background work on tasks: stops those of lost machines, and forgets what stopped long ago.
#pragma once

#include <optional>

#include "services/module.h"

namespace services::ecs {

// Its topic is kTaskSweepTopic. A machine is lost when its agent has been away for `lost_after`.
Loop sweep_loop(base::Duration lost_after);

// One slice of that work, in a write transaction: the tasks of lost machines are STOPPED; tasks that stopped
// an hour ago, client tokens of a day ago and machines that left an hour ago are deleted. Returns when the
// next slice is due.
std::optional<base::Time> sweep_tasks(Call& call, base::Duration lost_after);

}  // namespace services::ecs
