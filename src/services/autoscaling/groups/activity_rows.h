// SPDX-License-Identifier: Apache-2.0
// How activities are read from their table.
#pragma once

#include "services/autoscaling/groups/activity.h"

namespace services::autoscaling {

inline constexpr char kActivityColumns[] =
    "number, id, grp, kind, instance, description, cause, status, status_message, progress, details, started_at, "
    "ended_at";
Activity read_activity(const store::Row& row);

}  // namespace services::autoscaling
