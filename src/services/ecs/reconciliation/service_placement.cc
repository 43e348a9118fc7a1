// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/reconciliation/service_placement.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"
#include "scheduler/filter.h"
#include "services/ecs/capacity/waiting_task.h"
#include "services/ecs/errors.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/tags.h"
#include "services/ecs/tasks/launch.h"
#include "services/shape_json.h"

namespace services::ecs {
namespace {

constexpr std::string_view kZoneAttribute = "ecs.availability-zone";

std::vector<shapes::ecs::Tag> tags_of_tasks(const ServiceRows& rows, const StoredTaskDefinition& definition) {
  std::vector<shapes::ecs::Tag> tags;
  if (rows.body.propagateTags == "SERVICE") tags = rows.body.tags;
  if (rows.body.propagateTags == "TASK_DEFINITION") tags = definition.tags;
  if (rows.body.enableECSManagedTags) {
    tags.push_back({"aws:ecs:clusterName", rows.cluster.name});
    tags.push_back({"aws:ecs:serviceName", rows.service.name});
  }
  return tags;
}

// Amazon's: the zone with the fewest tasks of the service, then the machine with the fewest.
std::vector<shapes::ecs::PlacementStrategy> default_strategy() {
  return {{.type = "spread", .field = "attribute:" + std::string(kZoneAttribute)},
          {.type = "spread", .field = "instanceId"}};
}

// Holds what it places, so that the next task finds it taken, and returns all of it at the end.
class Tentative {
 public:
  explicit Tentative(scheduler::Fleet& fleet) : fleet_(fleet) {}
  ~Tentative() {
    for (const model::TaskId& task : tasks_) fleet_.unhold(task);
  }
  Tentative(const Tentative&) = delete;
  Tentative& operator=(const Tentative&) = delete;

  std::optional<scheduler::Refusal> place(scheduler::Request& request,
                                          const std::optional<model::InstanceId>& machine) {
    request.task = model::TaskId("trial-" + std::to_string(tasks_.size()));
    auto decision = machine ? fleet_.place_on(*machine, request) : fleet_.place(request);
    if (auto* refusal = std::get_if<scheduler::Refusal>(&decision)) return std::move(*refusal);
    CHECK(fleet_.hold(std::get<scheduler::Plan>(decision))) << "a plan just made does not hold";
    tasks_.push_back(request.task);
    return std::nullopt;
  }

 private:
  scheduler::Fleet& fleet_;
  std::vector<model::TaskId> tasks_;
};

}  // namespace

std::string service_group(const state::Service& service) { return "service:" + service.name; }

StoredLaunch service_launch(const ServiceRows& rows, const state::Deployment& deployment,
                            const StoredTaskDefinition& definition, base::Time now) {
  StoredLaunch launch;
  launch.cluster = rows.service.cluster;
  launch.definition = definition.number;
  launch.group = service_group(rows.service);
  launch.started_by = deployment_name(deployment);
  launch.service = rows.service.number;
  launch.deployment = deployment.number;
  launch.created_at = now;
  launch.external = rows.body.launchType == "EXTERNAL";
  DeploymentBody body = from_json<DeploymentBody>(deployment.body_json);
  if (!body.capacityProviderStrategy.empty()) {
    launch.body.placementConstraints = rows.body.placementConstraints;
    launch.body.placementStrategy = rows.body.placementStrategy;
    if (rows.body.placementStrategy.empty()) launch.body.placementStrategy = default_strategy();
  }
  launch.body.networkConfiguration = std::move(body.networkConfiguration);
  if (!body.containerImages.empty()) launch.body.containerImages = std::move(body.containerImages);
  launch.body.tags = tags_of_tasks(rows, definition);
  launch.body.enableExecuteCommand = rows.body.enableExecuteCommand;
  return launch;
}

scheduler::Request service_request(const ServiceRows& rows, const StoredTaskDefinition& definition,
                                   const StoredLaunch& launch, const std::optional<std::string>& zone) {
  scheduler::Request request = scheduler_request(definition, launch);
  add_constraints(request, rows.body.placementConstraints);
  add_strategies(request, rows.body.placementStrategy.empty() ? default_strategy() : rows.body.placementStrategy);
  if (zone) {
    auto expression = scheduler::Expression::parse("attribute:" + std::string(kZoneAttribute) + " == " + *zone);
    if (!expression) throw invalid_parameter(expression.error());
    request.member_of.push_back(std::move(*expression));
  }
  return request;
}

ProviderChoice providers_of(Call& call, const ServiceRows& rows, const state::Deployment& deployment) {
  const auto strategy = from_json<DeploymentBody>(deployment.body_json).capacityProviderStrategy;
  if (strategy.empty()) return {};
  std::map<std::string, std::int64_t> assigned;
  for (const state::ServiceTask& task : rows.tasks) {
    const bool counts = task.deployment == deployment.number && task.desired == model::DesiredStatus::Running;
    if (counts && task.provider) ++assigned[*task.provider];
  }
  return ProviderChoice(call, rows.cluster, strategy, assigned);
}

Trial try_starts(Call& call, const ServiceSnapshot& snapshot, const std::vector<scheduler::ServiceStart>& starts,
                 bool may_wait) {
  std::vector<scheduler::Request> requests;
  std::vector<ProviderChoice> providers;
  for (const scheduler::ServiceStart& start : starts) {
    const StoredTaskDefinition* definition = snapshot.definition_of(start.deployment);
    const state::Deployment* deployment = snapshot.find(state::DeploymentNumber(start.deployment));
    if (!definition || !deployment) throw client_error("TaskDefinition not found.");
    requests.push_back(service_request(snapshot, *definition,
                                       service_launch(snapshot, *deployment, *definition, call.now), start.zone));
    providers.push_back(providers_of(call, snapshot, *deployment));
  }
  std::int64_t room = may_wait ? waiting_room(call, snapshot.service.cluster) : 0;
  return call.local<Fleets>().with(snapshot.service.cluster, [&](scheduler::Fleet& fleet) {
    Trial trial;
    Tentative tentative(fleet);
    std::int32_t left = kMaxStartsAtOnce;
    for (std::size_t i = 0; i < starts.size() && left > 0; ++i) {
      scheduler::ServiceStart start = starts[i];
      const std::int32_t wanted = std::min(starts[i].count, left);
      for (start.count = 0; start.count < wanted; ++start.count) {
        const Provider* provider = providers[i].next();
        requests[i].capacity_provider = provider ? provider->name : "";
        auto refusal = tentative.place(requests[i], start.machine);
        const bool may_queue = may_wait && provider && provider->scales() && !start.zone;
        const bool waits = refusal && may_queue && room > 0;
        if (!refusal || waits) {
          if (provider) providers[i].assign();
          room -= waits ? 1 : 0;
          continue;
        }
        trial.blocked += starts[i].count - start.count;
        if (!trial.refusal) {
          trial.refusal = std::move(refusal);
          trial.request = requests[i];
          trial.zone = start.zone;
          trial.queue_is_full = may_queue;
          trial.provider_is_empty = provider && trial.refusal->failures.empty();
        }
        break;
      }
      left -= start.count;
      if (start.count > 0) trial.starts.push_back(std::move(start));
    }
    return trial;
  });
}

bool meets_constraints(const scheduler::Machine& machine, const scheduler::Request& request) {
  model::Instance instance = machine.instance();
  instance.status = model::InstanceStatus::Active;
  instance.agent_connected = true;
  instance.trouble.clear();
  scheduler::Request alone = request;
  alone.member_of.clear();
  alone.distinct_instance = false;
  if (scheduler::misfit(scheduler::Machine(std::move(instance)), alone, scheduler::GpuNeed(alone.demand))) return false;
  return std::ranges::all_of(request.member_of, [&](const scheduler::Expression& expression) {
    return expression.matches(machine.instance(), machine.tasks());
  });
}

bool stops_may_help(Call& call, const ServiceSnapshot& snapshot, const Trial& trial) {
  // One that can't be balanced has to be known as such.
  if (trial.zone) return true;
  std::set<model::InstanceId> machines;
  for (const scheduler::ServiceTask& task : snapshot.view.tasks) {
    if (task.stopping) continue;
    if (task.leaving) return true;
    machines.insert(task.machine);
  }
  return call.local<Fleets>().with(snapshot.service.cluster, [&](scheduler::Fleet& fleet) {
    return std::ranges::any_of(machines, [&](const model::InstanceId& id) {
      const scheduler::Machine* machine = fleet.find(id);
      return machine && machine->accepts_tasks() && meets_constraints(*machine, *trial.request);
    });
  });
}

}  // namespace services::ecs
