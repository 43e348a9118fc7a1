// SPDX-License-Identifier: Apache-2.0
// Protection of a service's tasks from being stopped by scaling in or by a deployment.
#include <algorithm>

#include "services/ecs/arn.h"
#include "services/ecs/errors.h"
#include "services/ecs/identifiers.h"
#include "services/ecs/operations.h"
#include "services/ecs/reconciliation/service_queue.h"
#include "services/ecs/tasks/task_operations.h"
#include "state/launch.h"
#include "state/service.h"

namespace services::ecs {
namespace {

constexpr std::size_t kMaxShown = 100;
constexpr std::size_t kMaxUpdated = 10;
constexpr std::int32_t kDefaultMinutes = 120, kMaxMinutes = 2880;

bool is_protected(const state::TaskState& task, base::Time now) {
  return task.protected_until && *task.protected_until > now;
}

ProtectedTask show_protection(const state::Cluster& cluster, const state::Task& task, base::Time now) {
  ProtectedTask out;
  out.taskArn = task_arn(cluster, task.id);
  out.protectionEnabled = is_protected(task, now);
  if (*out.protectionEnabled) out.expirationDate = task.protected_until;
  return out;
}

// "Invoking this operation for a standalone task will result in an TASK_NOT_VALID failure." So will one for a task
// that has stopped or is to stop.
std::optional<state::ServiceNumber> protecting_service(Call& call, const state::Task& task) {
  if (task.desired == model::DesiredStatus::Stopped) return std::nullopt;
  const auto launch = state::find_launch(call.tx, task.launch());
  CHECK(launch) << "a task without its launch: " << task.id.str();
  return launch->service;
}

// With one more protected task, the service would have more of them than it wants tasks: its deployment could never
// complete. A task that is protected already may extend that.
bool blocks_deployment(Call& call, state::ServiceNumber number, const state::Task& task) {
  if (is_protected(task, call.now)) return false;
  const auto service = state::find_service(call.tx, number);
  if (!service || service->daemon) return false;
  const auto tasks = state::list_service_tasks(call.tx, number);
  const auto count = std::ranges::count_if(tasks, [&](const state::ServiceTask& one) {
    return one.desired == model::DesiredStatus::Running && is_protected(one, call.now);
  });
  return count >= service->desired;
}

}  // namespace

GetTaskProtectionResponse get_task_protection(Call& call, const GetTaskProtectionRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  const auto tasks = request.tasks.value_or(std::vector<std::string>());
  check_at_most(kMaxShown, tasks.size(), "taskIds");
  GetTaskProtectionResponse response;
  response.protectedTasks.emplace();
  response.failures.emplace();
  for (const std::string& text : tasks) {
    const auto task = find_requested_task(call.tx, cluster, text);
    if (!task) {
      response.failures->push_back(missing_task(cluster, text));
    } else if (!protecting_service(call, *task)) {
      response.failures->push_back({.arn = task_arn(cluster, task->id), .reason = "TASK_NOT_VALID"});
    } else {
      response.protectedTasks->push_back(show_protection(cluster, *task, call.now));
    }
  }
  return response;
}

UpdateTaskProtectionResponse update_task_protection(Call& call, const UpdateTaskProtectionRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  if (request.tasks.empty()) throw invalid_parameter("Tasks cannot be empty.");
  check_at_most(kMaxUpdated, request.tasks.size(), "taskIds");
  const std::int32_t minutes = request.expiresInMinutes.value_or(kDefaultMinutes);
  if (minutes < 1 || minutes > kMaxMinutes) {
    throw invalid_parameter("expiresInMinutes should be between 1 and 2880.");
  }
  UpdateTaskProtectionResponse response;
  response.protectedTasks.emplace();
  response.failures.emplace();
  for (const std::string& text : request.tasks) {
    auto task = find_requested_task(call.tx, cluster, text);
    if (!task) {
      response.failures->push_back(missing_task(cluster, text));
      continue;
    }
    const auto service = protecting_service(call, *task);
    const bool blocked = service && request.protectionEnabled && blocks_deployment(call, *service, *task);
    if (!service || blocked) {
      const char* reason = blocked ? "DEPLOYMENT_BLOCKED" : "TASK_NOT_VALID";
      response.failures->push_back({.arn = task_arn(cluster, task->id), .reason = reason});
      continue;
    }
    task->protected_until.reset();
    if (request.protectionEnabled) task->protected_until = call.now + std::chrono::minutes(minutes);
    state::set_protection(call.tx, task->name, task->protected_until);
    mark_service(call, *service);
    response.protectedTasks->push_back(show_protection(cluster, *task, call.now));
  }
  return response;
}

std::vector<Operation> protection_operations() {
  return {
      operation<&get_task_protection>("GetTaskProtection", Access::Read),
      operation<&update_task_protection>("UpdateTaskProtection", Access::Write),
  };
}

}  // namespace services::ecs
