// SPDX-License-Identifier: Apache-2.0
// The loop of all groups: it looks at those that are due, plans each, and applies the plans of groups that have not
// changed since.
#include "services/autoscaling/groups/group_apply.h"
#include "services/autoscaling/groups/group_snapshot.h"
#include "services/autoscaling/groups/operations.h"

namespace services::autoscaling {
namespace {

// In one turn; the next turn continues.
constexpr std::int64_t kMaxGroupsPerTurn = 20;

struct PlannedGroup {
  std::int64_t number = 0, version = 0;
  autoscaler::GroupPlan plan;
};

PlannedGroup plan_one(Call& call, const Group& group) {
  const GroupSnapshot snapshot = read_snapshot(call, group);
  PlannedGroup planned{group.number, group.version, autoscaler::plan_group(snapshot.state, call.now)};
  auto& next = planned.plan.next;
  if (snapshot.check_at && (!next || *snapshot.check_at < *next)) next = snapshot.check_at;
  return planned;
}

void apply_plans(Call& call, const std::vector<PlannedGroup>& plans) {
  for (const PlannedGroup& planned : plans) {
    auto group = load_group(call.tx, planned.number);
    // Whoever changed it has made it due.
    if (!group || group->version != planned.version) continue;
    apply_plan(call, std::move(*group), planned.plan);
  }
}

Decision look_at_groups(Call& call) {
  std::vector<PlannedGroup> plans;
  for (const Group& group : list_due_groups(call.tx, call.now, kMaxGroupsPerTurn))
    plans.push_back(plan_one(call, group));
  Decision decision;
  if (plans.empty()) {
    decision.next = next_due_group(call.tx);
    return decision;
  }
  decision.apply = [plans = std::move(plans)](Call& write) { apply_plans(write, plans); };
  // After the apply the next look finds what is due then.
  decision.next = call.now;
  return decision;
}

}  // namespace

Loop group_loop() {
  return {.name = "autoscaling-groups", .topic = std::string(kGroupsTopic), .look = &look_at_groups};
}

}  // namespace services::autoscaling
