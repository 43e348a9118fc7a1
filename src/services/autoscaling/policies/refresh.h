// SPDX-License-Identifier: Apache-2.0
// Instance refreshes: operations, and the loop that drives them.
#pragma once

#include <string>
#include <vector>

#include "autoscaler/refresh.h"
#include "services/autoscaling/policies/refresh_row.h"
#include "services/module.h"

namespace services::autoscaling {

std::vector<Operation> refresh_operations();
// Looks at refreshes whenever an instance of any group has changed.
Loop refresh_loop();

// Gives the group its configuration of before the refresh and has the instances that the refresh has launched replaced.
void start_rollback(Call& call, Group& group, RefreshRow& refresh, const std::string& reason);
// Ends a refresh that did not complete: the group keeps its instances and gets its configuration of before.
void end_refresh(Call& call, Group& group, RefreshRow& refresh, const std::string& status, const std::string& reason);
// False where the group's previous template has no fixed version, or there is no desired configuration.
bool can_roll_back(const RefreshRecord& record);

// How many instances the group's loop may launch beyond the desired capacity at present.
std::int32_t refresh_surge(store::Tx& tx, std::int64_t group);

autoscaler::RefreshState refresh_state(Call& call, const Group& group, const RefreshRow& refresh);

}  // namespace services::autoscaling
