// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/gauges.h"

#include "model/task_status.h"
#include "services/ecs/machines/fleets.h"
#include "state/task.h"

namespace services::ecs {
namespace {

// Statuses that a live task can have. A status without tasks is shown as 0, so that its series has no gaps.
constexpr model::TaskStatus kShownStatuses[] = {model::TaskStatus::Pending, model::TaskStatus::Running};

}  // namespace

std::vector<Gauge> gauges(Call& call) {
  std::map<std::string, double> tasks;
  for (model::TaskStatus status : kShownStatuses) tasks[std::string(model::text(status))] = 0;
  for (const auto& [status, count] : state::count_tasks(call.tx)) {
    tasks[std::string(model::text(status))] = static_cast<double>(count);
  }
  std::vector<Gauge> all;
  for (const auto& [status, count] : tasks) {
    all.push_back({"stoker_ecs_tasks", "Tasks that have not stopped", {{"status", status}}, count});
  }
  const MachineCounts counts = call.local<Fleets>().count();
  all.push_back({"stoker_ecs_machines", "Registered machines", {}, static_cast<double>(counts.machines)});
  all.push_back({"stoker_ecs_machines_connected", "Machines whose agent is connected", {},
                 static_cast<double>(counts.connected)});
  all.push_back({"stoker_ecs_gpus", "GPUs of registered machines", {}, static_cast<double>(counts.gpus)});
  all.push_back({"stoker_ecs_gpus_held", "GPUs that at least one task holds, whole or in part", {},
                 static_cast<double>(counts.held_gpus)});
  return all;
}

}  // namespace services::ecs
