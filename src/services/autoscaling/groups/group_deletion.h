// SPDX-License-Identifier: Apache-2.0
// The end of a group.
#pragma once

#include "services/autoscaling/groups/group.h"
#include "services/call.h"

namespace services::autoscaling {

// Deletes the row of a group without instances, and all that belongs to it. Its activities stay.
void delete_group(Call& call, const Group& group);

}  // namespace services::autoscaling
