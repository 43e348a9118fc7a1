// SPDX-License-Identifier: Apache-2.0
// StokerListGroupWaits: retries, cooldown, warm-up and hooks of a group.
#include "shapes/stoker/group_waits.h"

#include "services/autoscaling/groups/group.h"
#include "services/autoscaling/groups/group_instances.h"
#include "services/autoscaling/groups/hooks.h"
#include "services/autoscaling/groups/operations.h"

namespace services::autoscaling {
namespace {

using shapes::stoker::StokerListGroupWaitsRequest;
using shapes::stoker::StokerListGroupWaitsResponse;

StokerListGroupWaitsResponse stoker_list_group_waits(Call& call, const StokerListGroupWaitsRequest& request) {
  const Group group = find_group(call, request.group);
  StokerListGroupWaitsResponse response;
  response.failedLaunches = group.failed_launches;
  response.retryAt = group.retry_at;
  response.cooldownFrom = group.cooldown_from;
  for (const GroupInstance& instance : list_group_instances(call.tx, group.number)) {
    const bool in_service = instance.lifecycle == Lifecycle::InService && instance.in_service_at;
    if (in_service && instance.in_service_at > response.newestInServiceAt) {
      response.newestInServiceAt = instance.in_service_at;
    }
  }
  for (const HookActionRow& action : list_hook_actions(call.tx, group.number)) {
    if (!action.result.empty()) continue;
    response.hooks.push_back({action.instance, action.hook, action.expires_at, action.default_result});
  }
  return response;
}

}  // namespace

std::vector<Operation> group_wait_operations() {
  return {operation<&stoker_list_group_waits>("StokerListGroupWaits", Access::Read)};
}

}  // namespace services::autoscaling
