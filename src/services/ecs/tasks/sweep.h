// SPDX-License-Identifier: Apache-2.0
// Background work: stops the tasks of lost machines, and deletes what stopped long ago.
#pragma once

#include "services/module.h"

namespace services::ecs {

// A machine is lost when its agent has been away for `lost_after`.
Loop sweep_loop(base::Duration lost_after);

// One slice of that work, in a write transaction: the tasks of lost machines are STOPPED; tasks that stopped
// an hour ago, client tokens of a day ago and machines that left an hour ago are deleted.
void sweep_tasks(Call& call, base::Duration lost_after);

}  // namespace services::ecs
