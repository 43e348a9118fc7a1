// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/capacity/reservation.h"

#include <algorithm>
#include <map>

#include "services/ecs/capacity/association.h"
#include "services/ecs/capacity/capacity_index.h"
#include "services/ecs/capacity/protection.h"
#include "services/ecs/capacity/scaling_group.h"
#include "services/ecs/capacity/waiting_task.h"
#include "services/ecs/machines/fleets.h"
#include "state/ec2_instance.h"

namespace services::ecs {
namespace {

autoscaler::MachineSize size_of(const model::Resources& total) {
  autoscaler::MachineSize size{.cpu = total.cpu, .memory_mib = total.memory_mib};
  size.gpus = static_cast<std::int64_t>(total.gpus.size());
  for (const model::Gpu& gpu : total.gpus) size.gpu_memory_mib = std::max(size.gpu_memory_mib, gpu.memory_mib);
  return size;
}

autoscaler::TaskSize size_of(const scheduler::Request& request) {
  const model::TaskDemand& demand = request.demand;
  autoscaler::TaskSize size{.cpu = demand.cpu, .memory_mib = demand.memory_mib};
  size.gpus = demand.whole_gpus();
  size.all_gpus = demand.all_gpus();
  size.shared_mib = demand.shared_gpu_memory_mib();
  size.alone = request.distinct_instance || !demand.ports.tcp.empty() || !demand.ports.udp.empty();
  return size;
}

std::vector<autoscaler::WaitingTasks> group_waiting(Call& call, const state::Cluster& cluster,
                                                    const std::string& provider) {
  WaitingRequests requests(call.tx);
  std::map<autoscaler::TaskSize, std::int64_t> counts;
  for (const state::Task& task : state::list_waiting(call.tx, cluster.number)) {
    if (task.provider != provider) continue;
    if (const scheduler::Request* request = requests.of(task)) ++counts[size_of(*request)];
  }
  std::vector<autoscaler::WaitingTasks> waiting;
  for (const auto& [size, count] : counts) waiting.push_back({size, count});
  return waiting;
}

}  // namespace

autoscaler::ProviderView view_provider(Call& call, const state::Cluster& cluster, const Provider& provider) {
  autoscaler::ProviderView view;
  view.minimum_step = *provider.scaling().minimumScalingStepSize;
  view.maximum_step = *provider.scaling().maximumScalingStepSize;
  std::set<std::string> running;
  for (const state::Ec2Instance& instance :
       state::list_ec2_instances_of(call.tx, provider.account, provider.region, provider.group)) {
    if (instance.state == state::Ec2State::Running) running.insert(instance.id);
  }
  view.running = static_cast<std::int64_t>(running.size());
  const std::set<std::string> daemons = groups_of_daemons(call, cluster.number);
  call.local<Fleets>().with(cluster.number, [&](const scheduler::Fleet& fleet) {
    for (const scheduler::Machine* machine : fleet.machines()) {
      const model::Instance& instance = machine->instance();
      if (instance.capacity_provider != provider.name || !running.contains(instance.ec2_instance_id)) continue;
      view.sizes.push_back(size_of(instance.total));
      const bool busy = std::ranges::any_of(machine->tasks(),
                                            [&](const model::TaskHold& task) { return !daemons.contains(task.group); });
      view.busy += busy ? 1 : 0;
    }
  });
  view.waiting = group_waiting(call, cluster, provider.name);
  return view;
}

void measure_reservations(Call& call, const Due& due, Measured& into) {
  CapacityIndex& index = call.local<CapacityIndex>();
  const bool touched = index.take_touched();
  if (!due.minute && !due.second && !touched) return;
  for (state::ClusterNumber number : index.clusters()) {
    const auto cluster = state::find_cluster(call.tx, number);
    if (!cluster || !cluster->active) continue;
    for (const Association& association : list_associations(call.tx, number)) {
      if (!association.policy) continue;
      const MetricKey metric{cluster->account,
                             cluster->region,
                             std::string(kReservationSpace),
                             std::string(kReservationMetric),
                             {{"CapacityProviderName", association.provider}, {"ClusterName", cluster->name}}};
      const bool of_interest = due.interest.contains(metric);
      if (!due.minute && !of_interest) continue;
      const auto provider = find_provider(call.tx, cluster->account, cluster->region, association.provider);
      if (!provider) continue;
      const double value = autoscaler::capacity_reservation(view_provider(call, *cluster, *provider)).percent;
      const bool changed = index.changes(metric, value);
      if (!due.minute && !due.second && !changed) continue;
      into.points.push_back({.metric = metric,
                             .unit = "Percent",
                             .at = call.now,
                             .high_resolution = of_interest,
                             .values = {value},
                             .counts = {1}});
    }
  }
}

}  // namespace services::ecs
