// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/machines/fleets.h"

#include "services/ecs/capacity/capacity_index.h"
#include "services/ecs/reconciliation/service_queue.h"
#include "state/task.h"

namespace services::ecs {
namespace {

template <class Change>
void when_committed(Call& call, state::ClusterNumber cluster, Change change) {
  Fleets& fleets = call.local<Fleets>();
  call.tx.on_end([&fleets, cluster, change = std::move(change)](bool committed) {
    if (committed) fleets.with(cluster, change);
  });
}

void put_now(Call& call, state::ClusterNumber cluster, model::Instance machine) {
  Fleets& fleets = call.local<Fleets>();
  const model::InstanceId id = machine.id;
  std::optional<model::Instance> before = fleets.with(cluster, [&](scheduler::Fleet& fleet) {
    std::optional<model::Instance> known;
    if (const scheduler::Machine* found = fleet.find(id)) known = found->instance();
    fleet.put(std::move(machine));
    return known;
  });
  call.tx.on_end([&fleets, cluster, id, before = std::move(before)](bool committed) {
    if (committed) return;
    fleets.with(cluster, [&](scheduler::Fleet& fleet) { before ? fleet.put(*before) : fleet.remove(id); });
  });
}

}  // namespace

void Fleets::load(store::Tx& tx) {
  for (state::ClusterNumber cluster : state::list_clusters_with_machines(tx)) {
    for (const StoredInstance& instance : load_instances(tx, cluster)) {
      auto holds = state::list_holds(tx, instance.id);
      with(cluster, [&](scheduler::Fleet& fleet) {
        fleet.put(instance.for_scheduler());
        for (model::TaskHold& hold : holds) fleet.record(instance.id, std::move(hold));
      });
    }
  }
}

MachineCounts Fleets::count() const {
  MachineCounts counts;
  fleets_.with([&](const auto& fleets) {
    for (const auto& [cluster, fleet] : fleets) {
      for (const scheduler::Machine* machine : fleet->machines()) {
        ++counts.machines;
        if (machine->instance().agent_connected) ++counts.connected;
        counts.gpus += machine->gpu_uses().size();
        for (const scheduler::GpuUse& use : machine->gpu_uses()) counts.held_gpus += use.idle() ? 0 : 1;
      }
    }
  });
  return counts;
}

std::set<state::ClusterNumber> Fleets::clusters() const {
  return fleets_.with([](const auto& fleets) {
    std::set<state::ClusterNumber> numbers;
    for (const auto& [cluster, fleet] : fleets) {
      if (!fleet->machines().empty()) numbers.insert(cluster);
    }
    return numbers;
  });
}

void put_in_fleet(Call& call, const StoredInstance& instance) {
  put_now(call, instance.cluster, instance.for_scheduler());
  mark_machine(call, instance.cluster, instance.id);
  mark_capacity(call, instance.cluster);
}

void remove_from_fleet(Call& call, const StoredInstance& instance) {
  put_now(call, instance.cluster, instance.for_scheduler());  // INACTIVE
  when_committed(call, instance.cluster,
                 [id = instance.id](scheduler::Fleet& fleet) { fleet.remove(id); });
  mark_machine(call, instance.cluster, instance.id);
  mark_capacity(call, instance.cluster);
}

void release_in_fleet(Call& call, state::ClusterNumber cluster, const model::TaskId& task) {
  mark_capacity(call, cluster);
  when_committed(call, cluster, [id = task](scheduler::Fleet& fleet) { fleet.release(id); });
}

void mark_in_fleet(Call& call, state::ClusterNumber cluster, const model::TaskId& task, bool running, bool stopping) {
  when_committed(call, cluster, [id = task, running, stopping](scheduler::Fleet& fleet) {
    fleet.mark(id, running, stopping);
  });
}

}  // namespace services::ecs
