// SPDX-License-Identifier: Apache-2.0
// Protection of a service's tasks from being scaled in. There are no services yet, so no task can be protected.
#include "services/ecs/arn.h"
#include "services/ecs/errors.h"
#include "services/ecs/identifiers.h"
#include "services/ecs/operations.h"
#include "services/ecs/tasks/task_operations.h"

namespace services::ecs {
namespace {

constexpr std::size_t kMaxShown = 100;
constexpr std::size_t kMaxUpdated = 10;
constexpr std::int32_t kMaxMinutes = 2880;

// "Invoking this operation for a standalone task will result in an TASK_NOT_VALID failure."
std::vector<Failure> refuse(Call& call, const state::Cluster& cluster, const std::vector<std::string>& tasks) {
  std::vector<Failure> failures;
  for (const std::string& text : tasks) {
    const auto task = find_requested_task(call.tx, cluster, text);
    if (task) {
      failures.push_back({.arn = task_arn(cluster, task->id), .reason = "TASK_NOT_VALID"});
    } else {
      failures.push_back(missing_task(cluster, text));
    }
  }
  return failures;
}

}  // namespace

GetTaskProtectionResponse get_task_protection(Call& call, const GetTaskProtectionRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  const auto tasks = request.tasks.value_or(std::vector<std::string>());
  check_at_most(kMaxShown, tasks.size(), "taskIds");
  return {.protectedTasks = std::vector<ProtectedTask>(), .failures = refuse(call, cluster, tasks)};
}

UpdateTaskProtectionResponse update_task_protection(Call& call, const UpdateTaskProtectionRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  if (request.tasks.empty()) throw invalid_parameter("Tasks cannot be empty.");
  check_at_most(kMaxUpdated, request.tasks.size(), "taskIds");
  const std::int32_t minutes = request.expiresInMinutes.value_or(1);
  if (minutes < 1 || minutes > kMaxMinutes) {
    throw invalid_parameter("expiresInMinutes should be between 1 and 2880.");
  }
  return {.protectedTasks = std::vector<ProtectedTask>(), .failures = refuse(call, cluster, request.tasks)};
}

std::vector<Operation> protection_operations() {
  return {
      operation<&get_task_protection>("GetTaskProtection", Access::Read),
      operation<&update_task_protection>("UpdateTaskProtection", Access::Write),
  };
}

}  // namespace services::ecs
