// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/reconciliation/daemon_machines.h"

#include <algorithm>
#include <set>

#include "services/ecs/capacity/protection.h"
#include "services/ecs/errors.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/reconciliation/service_placement.h"

namespace services::ecs {
std::vector<scheduler::DaemonMachine> daemon_machines(Call& call, const ServiceSnapshot& snapshot) {
  const state::Deployment& primary = snapshot.primary();
  const StoredTaskDefinition* definition = snapshot.definition_of(static_cast<std::int64_t>(primary.number));
  if (!definition) return {};
  const scheduler::Request request =
      service_request(snapshot, *definition, service_launch(snapshot, primary, *definition, call.now), std::nullopt);
  const std::set<std::string> daemons = groups_of_daemons(call, snapshot.service.cluster);
  return call.local<Fleets>().with(snapshot.service.cluster, [&](scheduler::Fleet& fleet) {
    std::vector<scheduler::DaemonMachine> machines;
    for (const scheduler::Machine* machine : fleet.machines()) {
      const model::Instance& instance = machine->instance();
      scheduler::DaemonMachine& out = machines.emplace_back(scheduler::DaemonMachine{.id = instance.id});
      out.leaving = instance.status == model::InstanceStatus::Draining;
      out.excluded = !meets_constraints(*machine, request);
      out.suitable = !out.excluded && machine->accepts_tasks();
      out.other_tasks = std::ranges::any_of(
          machine->tasks(), [&](const model::TaskHold& task) { return !daemons.contains(task.group); });
    }
    return machines;
  });
}

}  // namespace services::ecs
