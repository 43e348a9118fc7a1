// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/reconciliation/zone_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "services/ecs/machines/fleets.h"
#include "services/ecs/reconciliation/service_events.h"

namespace services::ecs {
namespace {

using TasksByZone = std::map<std::string, int>;

// Of tasks that stay; zones without any task included.
TasksByZone count_by_zone(Call& call, const ServiceRows& rows) {
  return call.local<Fleets>().with(rows.service.cluster, [&](scheduler::Fleet& fleet) {
    TasksByZone counts;
    for (const scheduler::Machine* machine : fleet.machines()) {
      if (machine->accepts_tasks()) counts[machine->instance().zone];
    }
    for (const state::ServiceTask& task : rows.tasks) {
      const scheduler::Machine* machine = fleet.find(task.machine);
      if (machine && task.desired == model::DesiredStatus::Running) ++counts[machine->instance().zone];
    }
    return counts;
  });
}

// "2 tasks in us-east-1a, 1 tasks in us-east-1b"
std::string text_of(const TasksByZone& counts) {
  std::string text;
  for (const auto& [zone, count] : counts)
    text += fmt::format("{}{} tasks in {}", text.empty() ? "" : ", ", count, zone);
  return text;
}

}  // namespace

void announce_unbalanced(Call& call, const ServiceRows& rows) {
  write_event(call, rows,
              service_event(rows, fmt::format("is not AZ balanced with {}. AZ Rebalancing in progress.",
                                              text_of(count_by_zone(call, rows)))));
  publish_action(call, rows, {.type = "INFO", .name = "SERVICE_REBALANCING_STARTED"});
}

void announce_balanced(Call& call, const ServiceRows& rows) {
  const TasksByZone counts = count_by_zone(call, rows);
  const auto [fewest, most] = std::ranges::minmax_element(counts, {}, &TasksByZone::value_type::second);
  if (fewest == counts.end() || most->second - fewest->second > 1) return;
  write_event(call, rows, service_event(rows, fmt::format("is AZ balanced with {}.", text_of(counts))));
  publish_action(call, rows, {.type = "INFO", .name = "SERVICE_REBALANCING_COMPLETED"});
}

std::string zone_of_task(Call& call, const state::Task& task) {
  return call.local<Fleets>().with(task.cluster, [&](scheduler::Fleet& fleet) {
    const scheduler::Machine* machine = fleet.find(task.machine);
    return machine ? machine->instance().zone : std::string();
  });
}

}  // namespace services::ecs
