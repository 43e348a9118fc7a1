// SPDX-License-Identifier: Apache-2.0
// RunTask and StartTask: place, write and respond, all in one transaction.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/bytes.h"
#include "base/hash.h"
#include "services/ecs/arn.h"
#include "services/ecs/capacity/capacity_index.h"
#include "services/ecs/capacity/run_queue.h"
#include "services/ecs/capacity/strategy.h"
#include "services/ecs/capacity/waiting_task.h"
#include "services/ecs/errors.h"
#include "services/ecs/identifiers.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/operations.h"
#include "services/ecs/tasks/launch.h"
#include "services/ecs/tasks/task_operations.h"
#include "services/ecs/tasks/task_start.h"
#include "services/ecs/tasks/task_view.h"
#include "services/shape_json.h"

namespace services::ecs {
namespace {

constexpr std::size_t kMaxClientToken = 64;
constexpr std::size_t kMaxStartInstances = 10;
constexpr char kNoInstances[] = "No Container Instances were found in your cluster.";
constexpr char kNoProviderInstances[] = "No Container Instances were found in your capacity provider.";

void check_platform(const RunTaskRequest& request) {
  const std::string type = is_external(request.launchType) ? "EXTERNAL" : "EC2";
  if (!request.platformVersion) return;
  throw invalid_parameter("The platform version must be null when specifying an " + type + " launch type.");
}

void check_token(const std::optional<std::string>& token) {
  if (!token) return;
  const bool visible = std::all_of(token->begin(), token->end(), [](char c) { return c >= '!' && c <= '~'; });
  if (token->empty() || token->size() > kMaxClientToken || !visible) {
    throw invalid_parameter("clientToken should have 1 to 64 characters, ASCII 33 to 126.");
  }
}

struct Placed {
  std::vector<state::Task> tasks;
  std::vector<Failure> failures;
};

void add_failures(Placed& placed, const state::Cluster& cluster, const scheduler::Refusal& refusal) {
  // One refusal covers every machine: further tasks of the call would be refused alike.
  for (const scheduler::Failure& failure : refusal.failures) placed.failures.push_back(to_failure(cluster, failure));
}

// Places the tasks of a launch, one after the other, each on the machines of its capacity provider if it has one. With
// managed scaling, a task that finds no room waits; so does one with the tag stoker:wait.
Placed place_tasks(Call& call, const state::Cluster& cluster, const StoredLaunch& launch, scheduler::Request& wanted,
                   ProviderChoice& providers, std::int32_t count) {
  Placed placed;
  placed.tasks.reserve(static_cast<std::size_t>(count));
  Taking taking(call, cluster.number);
  std::set<std::string> refused;  // providers without managed scaling
  std::optional<std::int64_t> room;
  const bool queues = !providers.has_strategy() && waits_in_queue(launch);
  const auto wait = [&](const state::TaskName& name) {
    if (!room) room = queues ? queue_room(call, cluster.number) : waiting_room(call, cluster.number);
    if ((*room)-- <= 0) throw client_error("Tasks provisioning capacity limit exceeded.");
    placed.tasks.push_back(to_waiting_task(launch, name, wanted));
  };
  bool queued = queues && has_queue(call, cluster.number);  // older ones come first
  for (std::int32_t i = 0; i < count; ++i) {
    const Provider* provider = providers.next();
    if (provider) wanted.capacity_provider = provider->name;
    const state::TaskName name = name_next_task(launch, placed.tasks.size(), wanted);
    if (queued) {
      wait(name);
      continue;
    }
    auto decision = taking.decide(wanted, std::nullopt);
    if (auto* plan = std::get_if<scheduler::Plan>(&decision)) {
      placed.tasks.push_back(to_task(launch, name, std::move(*plan)));
      if (provider) placed.tasks.back().provider = provider->name;
    } else if (provider && provider->scales()) {
      wait(name);
    } else if (queues) {
      wait(name);
      queued = true;
    } else {
      if (refused.insert(wanted.capacity_provider).second) {
        const auto& refusal = std::get<scheduler::Refusal>(decision);
        add_failures(placed, cluster, refusal);
        if (provider && refusal.failures.empty()) {
          placed.failures.push_back({.arn = provider->arn(), .reason = kNoProviderInstances});
        }
      }
      if (!provider) break;
    }
    if (provider) providers.assign();
  }
  if (queued) watch_capacity(call, cluster.number);
  taking.leave_to_transaction();
  return placed;
}

// A cluster or a provider without machines is an error of the request, not a failure.
void check_candidates(Call& call, const state::Cluster& cluster, const ProviderChoice& providers) {
  const Provider* provider = providers.next();
  if (provider && provider->scales()) return;
  const bool any = call.local<Fleets>().with(cluster.number, [&](const scheduler::Fleet& fleet) {
    if (!provider) return fleet.has_candidates();
    return std::ranges::any_of(fleet.machines(), [&](const scheduler::Machine* machine) {
      return machine->instance().capacity_provider == provider->name &&
             machine->instance().status == model::InstanceStatus::Active;
    });
  });
  if (!any) throw invalid_parameter(provider ? kNoProviderInstances : kNoInstances);
}

// A launch without a task is needed only where its request may be repeated with a token.
void delete_if_empty(Call& call, const StoredLaunch& launch, const Placed& placed) {
  if (placed.tasks.empty() && !launch.client_token) state::delete_launch(call.tx, launch.number);
}

template <class Response>
Response shown(TaskView& view, const StoredTaskDefinition& definition, const StoredLaunch& launch,
               const Placed& placed) {
  view.add(definition);
  view.add(launch);
  Response response;
  response.tasks.emplace().reserve(placed.tasks.size());
  for (const state::Task& task : placed.tasks) response.tasks->push_back(view.show(task, true));
  response.failures = placed.failures;
  return response;
}

// The fleet has all that a new task shows of its machine, so that no row has to be read.
template <class Response>
Response respond(Call& call, const state::Cluster& cluster, const StoredTaskDefinition& definition,
                const StoredLaunch& launch, const Placed& placed) {
  TaskView view(call, cluster);
  call.local<Fleets>().with(cluster.number, [&](const scheduler::Fleet& fleet) {
    for (const state::Task& task : placed.tasks) {
      if (const auto* machine = fleet.find(task.machine)) view.add(machine->instance());
    }
  });
  return shown<Response>(view, definition, launch, placed);
}

// The response to a repeated request with the same token, with the current state of its tasks.
RunTaskResponse repeat(Call& call, const state::Cluster& cluster, const StoredLaunch& launch, const std::string& request_hash) {
  Placed placed;
  placed.tasks = state::list_tasks_of_launch(call.tx, launch.number);
  placed.failures = launch.body.failures.value_or(std::vector<Failure>());
  if (launch.request_hash != request_hash) {
    std::string ids;
    for (const state::Task& task : placed.tasks) ids += (ids.empty() ? "" : ", ") + task_arn(cluster, task.id);
    throw wire::ApiError("ConflictException",
                         "The client token was used before, with another request. Its tasks: " + ids);
  }
  const auto definition = load_task_definition(call.tx, launch.definition);
  CHECK(definition) << "a launch without its definition";
  TaskView view(call, cluster);
  return shown<RunTaskResponse>(view, *definition, launch, placed);
}

std::string hash_of(RunTaskRequest request) {
  request.clientToken.reset();
  return base::to_hex(base::sha256(to_json(request)));
}

}  // namespace

RunTaskResponse run_task(Call& call, const RunTaskRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  const Strategy strategy =
      choose_strategy(call, cluster, request.capacityProviderStrategy, request.launchType);
  check_platform(request);
  check_token(request.clientToken);
  const std::int32_t count = request.count.value_or(1);
  if (count < 1 || count > kMaxTasksOfALaunch) throw invalid_parameter("Task count should be between 1 and 10.");
  std::string request_hash;
  if (request.clientToken) {
    request_hash = hash_of(request);
    if (auto before = load_launch(call.tx, cluster.number, *request.clientToken)) {
      return repeat(call, cluster, *before, request_hash);
    }
  }
  const StoredTaskDefinition definition = launchable(call, request.taskDefinition);
  LaunchRequest common = launch_request(request);
  common.external = is_external(request.launchType);
  StoredLaunch launch = make_launch(call, cluster, definition, common);
  launch.client_token = request.clientToken;
  launch.request_hash = request_hash;
  scheduler::Request wanted = scheduler_request(definition, launch);
  add_constraints(wanted, request.placementConstraints.value_or(std::vector<PlacementConstraint>()));
  add_strategies(wanted, request.placementStrategy.value_or(std::vector<PlacementStrategy>()));

  ProviderChoice providers(call, cluster, strategy);
  check_candidates(call, cluster, providers);
  if (providers.has_strategy() || waits_in_queue(launch)) {
    launch.body.placementConstraints = request.placementConstraints;
    launch.body.placementStrategy = request.placementStrategy;
  }
  insert_launch(call.tx, launch);
  const Placed placed = place_tasks(call, cluster, launch, wanted, providers, count);
  write_tasks(call, cluster, placed.tasks);
  if (!placed.failures.empty() && launch.client_token) {
    launch.body.failures = placed.failures;
    update_launch(call.tx, launch);
  }
  delete_if_empty(call, launch, placed);
  return respond<RunTaskResponse>(call, cluster, definition, launch, placed);
}

StartTaskResponse start_task(Call& call, const StartTaskRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  if (request.containerInstances.empty()) throw invalid_parameter("Container instances cannot be empty.");
  check_at_most(kMaxStartInstances, request.containerInstances.size(), "instanceIds");
  const StoredTaskDefinition definition = launchable(call, request.taskDefinition);
  StoredLaunch launch = make_launch(call, cluster, definition, launch_request(request));
  scheduler::Request wanted = scheduler_request(definition, launch);
  insert_launch(call.tx, launch);
  Taking taking(call, cluster.number);
  Placed placed;
  for (const std::string& text : request.containerInstances) {
    const auto id = requested_instance_id(cluster, text);
    if (!id) {
      placed.failures.push_back(missing_instance(cluster, text));
      continue;
    }
    const state::TaskName name = name_next_task(launch, placed.tasks.size(), wanted);
    auto decision = taking.decide(wanted, id);
    if (auto* plan = std::get_if<scheduler::Plan>(&decision)) {
      placed.tasks.push_back(to_task(launch, name, std::move(*plan)));
    } else {
      add_failures(placed, cluster, std::get<scheduler::Refusal>(decision));
    }
  }
  taking.leave_to_transaction();
  write_tasks(call, cluster, placed.tasks);
  delete_if_empty(call, launch, placed);
  return respond<StartTaskResponse>(call, cluster, definition, launch, placed);
}

std::vector<Operation> launch_operations() {
  return {
      operation<&run_task>("RunTask", Access::Write),
      operation<&start_task>("StartTask", Access::Write),
  };
}

}  // namespace services::ecs
