// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/capacity/explain_waiting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/duration.h"
#include "services/ecs/capacity/reservation.h"
#include "services/ecs/capacity/run_queue.h"
#include "services/ecs/capacity/scaling_group.h"
#include "services/ecs/capacity/waiting_task.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/tasks/explain.h"
#include "state/ec2_instance.h"

namespace services::ecs {
namespace {

using shapes::stoker::StokerExplainResponse;

constexpr std::size_t kMaxWaitVerdicts = 100;

// Running instances of the group that joined the cluster before the group had the provider: they do not belong to it, as
// at Amazon, but they count as its running instances.
std::vector<std::string> instances_joined_before(Call& call, const state::Cluster& cluster, const Provider& provider) {
  std::set<std::string> running;
  for (const state::Ec2Instance& instance :
       state::list_ec2_instances_of(call.tx, provider.account, provider.region, provider.group)) {
    if (instance.state == state::Ec2State::Running) running.insert(instance.id);
  }
  std::vector<std::string> found;
  call.local<Fleets>().with(cluster.number, [&](const scheduler::Fleet& fleet) {
    for (const scheduler::Machine* machine : fleet.machines()) {
      const model::Instance& instance = machine->instance();
      if (instance.capacity_provider != provider.name && running.contains(instance.ec2_instance_id)) {
        found.push_back(instance.ec2_instance_id);
      }
    }
  });
  std::ranges::sort(found);
  return found;
}

// "The Auto Scaling group g has 2 desired instances, at most 4; 1 is running, 0 have joined the cluster."
void explain_group(Call& call, const state::Cluster& cluster, const std::string& name, std::vector<std::string>& out) {
  const auto provider = find_provider(call.tx, cluster.account, cluster.region, name);
  if (!provider) return;
  const auto group = find_group(call, group_of(*provider));
  if (!group) {
    out.push_back(fmt::format("The Auto Scaling group {} does not exist: no machine can join.", provider->group));
    return;
  }
  const autoscaler::ProviderView view = view_provider(call, cluster, *provider);
  const auto joined = static_cast<std::int64_t>(view.sizes.size());
  const std::vector<std::string> before = instances_joined_before(call, cluster, *provider);
  out.push_back(
      fmt::format("The Auto Scaling group {} desires {} of at most {} instances: {} running, {} joined the "
                  "cluster.",
                  provider->group, group->DesiredCapacity, group->MaxSize, view.running, joined));
  if (!before.empty()) {
    out.push_back(fmt::format("{} joined before the group had the capacity provider, and can't run its tasks: terminate "
                              "{}.",
                              fmt::join(before, ", "),
                              before.size() == 1 ? "it, so that the group launches another"
                                                 : "them, so that the group launches others"));
  }
  if (group->DesiredCapacity > view.running) {
    out.push_back("It waits for an instance to start.");
  } else if (view.running > joined + static_cast<std::int64_t>(before.size())) {
    out.push_back("It waits for the agent of a running instance to join.");
  } else if (group->DesiredCapacity >= group->MaxSize) {
    out.push_back(fmt::format("The group is at its maximum: raise its MaxSize above {}, or wait for a task to end.",
                              group->MaxSize));
  } else {
    out.push_back("It waits for managed scaling to raise the desired capacity.");
  }
}

// Why the machines of the provider do not fit.
void explain_machines_of_provider(Call& call, const state::Cluster& cluster, const state::Task& task,
                                  StokerExplainResponse& response) {
  WaitingRequests requests(call.tx);
  const scheduler::Request* request = requests.of(task);
  if (!request) return;
  scheduler::Refusal refusal;
  refusal.failures = call.local<Fleets>().with(
      cluster.number, [&](const scheduler::Fleet& fleet) { return fleet.explain(*request, kMaxWaitVerdicts); });
  call.local<Fleets>().with(cluster.number, [&](const scheduler::Fleet& fleet) {
    std::erase_if(refusal.failures, [&](const scheduler::Failure& failure) {
      const scheduler::Machine* machine = fleet.find(failure.instance);
      return !machine || (!is_queued(task) && machine->instance().capacity_provider != task.provider);
    });
  });
  response.machines.emplace();
  for (const scheduler::Failure& failure : refusal.failures) {
    response.machines->push_back(explain_failure(call, cluster, failure));
  }
  const scheduler::Failure* nearest = scheduler::closest(refusal);
  if (!nearest) return;
  response.nearest = explain_failure(call, cluster, *nearest);
  response.sentences.push_back("The nearest is " + *response.nearest->detail + ".");
}

}  // namespace

void explain_waiting(Call& call, const state::Cluster& cluster, const state::Task& task,
                     StokerExplainResponse& response) {
  if (is_queued(task)) {
    explain_queue(call, cluster, task, response);
    explain_machines_of_provider(call, cluster, task, response);
    return;
  }
  const std::string provider = task.provider.value_or("");
  response.sentences.push_back(
      fmt::format("It has been PROVISIONING for {}: it waits for capacity of the capacity provider {}, for another {} "
                  "at most.",
                  base::duration_text(call.now - task.created_at), provider,
                  base::duration_text(std::max(task.created_at + kWaitsFor - call.now, base::Duration()))));
  explain_group(call, cluster, provider, response.sentences);
  explain_machines_of_provider(call, cluster, task, response);
}

void explain_waiting_tasks(Call& call, const ServiceSnapshot& snapshot, std::vector<std::string>& out) {
  std::map<std::string, int> waiting;  // by provider
  for (const state::ServiceTask& task : snapshot.tasks) {
    if (task.is_waiting()) ++waiting[task.provider.value_or("")];
  }
  for (const auto& [provider, count] : waiting) {
    out.push_back(fmt::format("{} PROVISIONING: waiting for capacity of the capacity provider {}.",
                              count == 1 ? "1 task is" : fmt::format("{} tasks are", count), provider));
    explain_group(call, snapshot.cluster, provider, out);
  }
}

}  // namespace services::ecs
