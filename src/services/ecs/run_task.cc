// SPDX-License-Identifier: Apache-2.0
// RunTask and StartTask: place, write, and answer with what was given, all in one transaction.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/random.h"
#include "services/ecs/errors.h"
#include "services/ecs/fleets.h"
#include "services/ecs/handlers.h"
#include "services/ecs/identifiers.h"
#include "services/ecs/launch.h"
#include "services/shape_json.h"
#include "services/ecs/task_view.h"

namespace services::ecs {
namespace {

constexpr std::int32_t kMaxCount = 10;
constexpr std::size_t kMaxClientToken = 64;
constexpr std::size_t kMaxStartInstances = 10;
constexpr std::size_t kMaxCapacityProviders = 20;
constexpr char kNoInstances[] = "No Container Instances were found in your cluster.";

void check_capacity(const RunTaskRequest& request) {
  const bool strategy = request.capacityProviderStrategy && !request.capacityProviderStrategy->empty();
  if (strategy) check_at_most(kMaxCapacityProviders, request.capacityProviderStrategy->size(), "capacityProviderStrategy");
  if (strategy && request.launchType) {
    throw invalid_parameter(
        "Specifying both a launch type and capacity provider strategy is not supported. Remove one and try again.");
  }
  if (strategy) {
    throw invalid_parameter(
        "The specified capacity provider strategy cannot contain a capacity provider that is not associated with the "
        "cluster. Associate the capacity provider with the cluster and try again.");
  }
  const std::string type = request.launchType.value_or("EC2");
  if (type != "EC2") throw not_here("launchType " + type, "machines join as EC2 instances");
  if (request.platformVersion) throw invalid_parameter("The platform version must be null when specifying an EC2 launch type.");
}

void check_token(const std::optional<std::string>& token) {
  if (!token) return;
  const bool visible = std::all_of(token->begin(), token->end(), [](char c) { return c >= '!' && c <= '~'; });
  if (token->empty() || token->size() > kMaxClientToken || !visible) {
    throw invalid_parameter("clientToken should have 1 to 64 characters, ASCII 33 to 126.");
  }
}

struct Placed {
  std::vector<StoredTask> tasks;
  std::vector<Failure> failures;
};

// Takes what a plan says, in the fleet until the transaction ends and in the database for good.
StoredTask take(Call& call, Fleets& fleets, const StoredLaunch& launch, const scheduler::Plan& plan) {
  StoredTask task;
  task.id = plan.hold.task.str();
  task.cluster = launch.cluster;
  task.launch = launch.id;
  task.instance = plan.instance.str();
  task.holds = to_holds(plan.hold);
  task.created_at = call.now;
  call.tx.on_end([&fleets, cluster = launch.cluster, id = plan.hold.task](bool committed) {
    fleets.with(cluster, [&](scheduler::Fleet& fleet) { committed ? fleet.commit(id) : fleet.unhold(id); });
  });
  insert_task(call.tx, task);
  call.wake(instance_topic(task.instance));
  return task;
}

// One decision and its hold, with nothing in between.
scheduler::Decision decide(Fleets& fleets, std::int64_t cluster, const scheduler::Request& request,
                           const std::optional<std::string>& instance) {
  try {
    return fleets.with(cluster, [&](scheduler::Fleet& fleet) {
      auto decision =
          instance ? fleet.place_on(model::InstanceId(*instance), request) : fleet.place(request);
      if (const auto* plan = std::get_if<scheduler::Plan>(&decision)) {
        CHECK(fleet.hold(*plan)) << "a plan just made does not hold";
      }
      return decision;
    });
  } catch (const scheduler::ExpressionTooComplex& error) {
    throw invalid_parameter(error.what());
  }
}

void add_failures(Placed& placed, const StoredCluster& cluster, const scheduler::Refusal& refusal) {
  // One refusal tells of every machine; further tasks of the call would be refused alike.
  for (const scheduler::Failure& failure : refusal.failures) placed.failures.push_back(to_failure(cluster, failure));
}

// A launch without a task is of no use but to who asks again with its token.
void forget_if_nothing_came_of_it(Call& call, const StoredLaunch& launch, const Placed& placed) {
  if (placed.tasks.empty() && !launch.client_token) call.tx.exec("DELETE FROM ecs_launches WHERE id = $1", launch.id);
}

template <class Response>
Response answer(Call& call, const StoredCluster& cluster, const StoredTaskDefinition& definition,
                const StoredLaunch& launch, const Placed& placed) {
  TaskView view(call, cluster);
  view.know(definition);
  view.know(launch);
  Fleets& fleets = call.local<Fleets>();
  fleets.with(cluster.id, [&](const scheduler::Fleet& fleet) {
    for (const StoredTask& task : placed.tasks) {
      if (const auto* machine = fleet.find(model::InstanceId(task.instance))) view.know(machine->instance());
    }
  });
  Response response;
  response.tasks.emplace();
  for (const StoredTask& task : placed.tasks) response.tasks->push_back(view.show(task, true));
  response.failures = placed.failures;
  return response;
}

// The answer to a request that was made before with the same token, as things are now.
RunTaskResponse again(Call& call, const StoredCluster& cluster, const StoredLaunch& launch, const std::string& asked) {
  Placed placed;
  placed.tasks = load_tasks_of_launch(call.tx, launch.id);
  placed.failures = launch.body.failures.value_or(std::vector<Failure>());
  if (launch.asked != asked) {
    std::string ids;
    for (const StoredTask& task : placed.tasks) ids += (ids.empty() ? "" : ", ") + task_arn(cluster, task.id);
    throw wire::ApiError("ConflictException",
                         "The client token was used before, with another request. Its tasks: " + ids);
  }
  const auto definition = load_task_definition(call.tx, launch.definition);
  CHECK(definition) << "a launch without its definition";
  return answer<RunTaskResponse>(call, cluster, *definition, launch, placed);
}

std::string hash_of(RunTaskRequest request) {
  request.clientToken.reset();
  return base::to_hex(base::sha256(to_json(request)));
}

}  // namespace

RunTaskResponse run_task(Call& call, const RunTaskRequest& request) {
  const StoredCluster cluster = find_cluster(call, request.cluster);
  check_capacity(request);
  check_token(request.clientToken);
  const std::int32_t count = request.count.value_or(1);
  if (count < 1 || count > kMaxCount) throw invalid_parameter("Task count should be between 1 and 10.");
  std::string asked;
  if (request.clientToken) {
    asked = hash_of(request);
    if (auto before = load_launch(call.tx, cluster.id, *request.clientToken)) {
      return again(call, cluster, *before, asked);
    }
  }
  const StoredTaskDefinition definition = launchable(call, request.taskDefinition);
  StoredLaunch launch = make_launch(call, cluster, definition, launch_request(request));
  launch.client_token = request.clientToken;
  launch.asked = asked;
  scheduler::Request wanted = scheduler_request(definition, launch);
  add_constraints(wanted, request.placementConstraints.value_or(std::vector<PlacementConstraint>()));
  add_strategies(wanted, request.placementStrategy.value_or(std::vector<PlacementStrategy>()));

  launch.id = insert_launch(call.tx, launch);
  Fleets& fleets = call.local<Fleets>();
  Placed placed;
  for (std::int32_t i = 0; i < count; ++i) {
    wanted.task = model::TaskId(new_task_id(call.now));
    wanted.seed = std::hash<std::string>{}(wanted.task.str());
    const auto decision = decide(fleets, cluster.id, wanted, std::nullopt);
    if (const auto* plan = std::get_if<scheduler::Plan>(&decision)) {
      placed.tasks.push_back(take(call, fleets, launch, *plan));
      continue;
    }
    const auto& refusal = std::get<scheduler::Refusal>(decision);
    // Without a machine there is nothing that could fail: that is an error of the request.
    if (refusal.failures.empty()) throw invalid_parameter(kNoInstances);
    add_failures(placed, cluster, refusal);
    break;
  }
  if (!placed.failures.empty() && launch.client_token) {
    launch.body.failures = placed.failures;
    call.tx.exec("UPDATE ecs_launches SET body = $2 WHERE id = $1", launch.id, to_json(launch.body));
  }
  forget_if_nothing_came_of_it(call, launch, placed);
  return answer<RunTaskResponse>(call, cluster, definition, launch, placed);
}

StartTaskResponse start_task(Call& call, const StartTaskRequest& request) {
  const StoredCluster cluster = find_cluster(call, request.cluster);
  if (request.containerInstances.empty()) throw invalid_parameter("Container instances cannot be empty.");
  check_at_most(kMaxStartInstances, request.containerInstances.size(), "instanceIds");
  const StoredTaskDefinition definition = launchable(call, request.taskDefinition);
  StoredLaunch launch = make_launch(call, cluster, definition, launch_request(request));
  scheduler::Request wanted = scheduler_request(definition, launch);
  launch.id = insert_launch(call.tx, launch);
  Fleets& fleets = call.local<Fleets>();
  Placed placed;
  for (const std::string& text : request.containerInstances) {
    const auto id = asked_instance_id(cluster, text);
    if (!id) {
      placed.failures.push_back(missing_instance(cluster, text));
      continue;
    }
    wanted.task = model::TaskId(new_task_id(call.now));
    const auto decision = decide(fleets, cluster.id, wanted, id);
    if (const auto* plan = std::get_if<scheduler::Plan>(&decision)) {
      placed.tasks.push_back(take(call, fleets, launch, *plan));
    } else {
      add_failures(placed, cluster, std::get<scheduler::Refusal>(decision));
    }
  }
  forget_if_nothing_came_of_it(call, launch, placed);
  return answer<StartTaskResponse>(call, cluster, definition, launch, placed);
}

}  // namespace services::ecs
