// SPDX-License-Identifier: Apache-2.0
// Showing, listing and stopping tasks. run_task.cc starts them.
#include "services/ecs/tasks/task_operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "services/ecs/errors.h"
#include "services/ecs/identifiers.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/operations.h"
#include "services/ecs/page.h"
#include "services/ecs/tasks/task_view.h"

namespace services::ecs {
namespace {

constexpr std::size_t kMaxDescribed = 100;
constexpr std::size_t kMaxReason = 1024;
constexpr char kStoppedByUser[] = "Task stopped by user";

void check_filters(const ListTasksRequest& request) {
  // "When you specify startedBy as the filter, it must be the only filter that you use." Clients add
  // a desiredStatus all the same, and Amazon takes it.
  if (request.startedBy && (request.containerInstance || request.family || request.serviceName || request.launchType)) {
    throw invalid_parameter("cannot specify startedBy with other arguments");
  }
  if (request.serviceName) throw wire::ApiError("ServiceNotFoundException", "Service not found.");
}

// Of the cluster $1, those behind the number $2.
constexpr std::string_view kRunningRows =
    "SELECT id AS number, secret, name, instance FROM ecs_tasks WHERE cluster = $1 AND id > $2 AND stopping_at IS NULL";
constexpr std::string_view kStoppingRows =
    "SELECT id AS number, secret, name, instance FROM ecs_tasks"
    " WHERE cluster = $1 AND id > $2 AND stopping_at IS NOT NULL";
constexpr std::string_view kStoppedRows =
    "SELECT task AS number, secret, name, instance FROM ecs_stopped_tasks WHERE cluster = $1 AND task > $2";

std::int64_t after_row(const Page& page) {
  try {
    return page.after.empty() ? 0 : std::stoll(page.after);
  } catch (const std::exception&) {
    throw invalid_parameter("Invalid token.");
  }
}

}  // namespace

DescribeTasksResponse describe_tasks(Call& call, const DescribeTasksRequest& request) {
  const StoredCluster cluster = find_cluster(call, request.cluster);
  if (request.tasks.empty()) throw invalid_parameter("Tasks cannot be empty.");
  check_at_most(kMaxDescribed, request.tasks.size(), "taskIds");
  const auto include = request.include.value_or(std::vector<std::string>());
  const bool tags = std::find(include.begin(), include.end(), "TAGS") != include.end();
  TaskView view(call, cluster);
  DescribeTasksResponse response;
  response.tasks.emplace();
  response.failures.emplace();
  for (const std::string& text : request.tasks) {
    if (auto task = asked_task(call.tx, cluster, text)) {
      response.tasks->push_back(view.show(*task, tags));
    } else {
      response.failures->push_back(missing_task(cluster, text));
    }
  }
  return response;
}

ListTasksResponse list_tasks(Call& call, const ListTasksRequest& request) {
  const StoredCluster cluster = find_cluster(call, request.cluster);
  const Page page = page_of(request.maxResults, request.nextToken);
  const std::string desired = request.desiredStatus.value_or("RUNNING");
  check_filters(request);
  std::optional<std::int64_t> instance;
  if (request.containerInstance) instance = find_instance(call.tx, cluster, *request.containerInstance).number;
  std::map<std::int64_t, std::string> found;  // by number
  const auto list = [&](std::string_view tasks) {
    call.tx
        .query(fmt::format("SELECT t.number, t.secret, t.name FROM ({}) AS t JOIN ecs_launches l ON l.id = t.number / 16"
                           " JOIN ecs_task_definitions d ON d.id = l.definition WHERE (t.instance = $3 OR $3 IS NULL)"
                           " AND (l.started_by = $4 OR $4 IS NULL) AND (d.family = $5 OR $5 IS NULL)"
                           " ORDER BY t.number LIMIT $6",
                           tasks),
               cluster.id, after_row(page), instance, request.startedBy, request.family, page.size + 1)
        .each([&](const store::Row& row) {
          found[row.integer(0)] = row.is_null(2) ? to_text({row.integer(0), row.integer(1)}) : row.str(2);
        });
  };
  // All of them are EC2's.
  const bool none = (request.launchType && *request.launchType != "EC2") || request.daemonName;
  if (!none && desired == "RUNNING") list(kRunningRows);
  if (!none && desired == "STOPPED") {
    list(kStoppingRows);
    list(kStoppedRows);
  }
  std::vector<std::string> numbers;
  for (const auto& [number, id] : found) {
    if (std::ssize(numbers) <= page.size) numbers.push_back(std::to_string(number));
  }
  ListTasksResponse response;
  response.nextToken = cut(numbers, page);
  response.taskArns.emplace();
  for (const auto& [number, id] : found) {
    if (response.taskArns->size() < numbers.size()) response.taskArns->push_back(task_arn(cluster, id));
  }
  return response;
}

StopTaskResponse stop_task(Call& call, const StopTaskRequest& request) {
  const StoredCluster cluster = find_cluster(call, request.cluster);
  auto task = asked_task(call.tx, cluster, request.task);
  if (!task) throw invalid_parameter("The referenced task was not found.");
  if (request.reason.value_or("").size() > kMaxReason) {
    throw invalid_parameter("reason longer than 1024.");
  }
  // One that stops or has stopped keeps the reason for which it did.
  if (task->desired == model::DesiredStatus::Running) {
    task->desired = model::DesiredStatus::Stopped;
    task->stopping_at = call.now;
    task->stop_code = model::text(model::StopCode::UserInitiated);
    task->stopped_reason = request.reason.value_or(kStoppedByUser);
    update_task(call.tx, *task);
    mark_in_fleet(call, task->cluster, task->id, task->known == model::TaskStatus::Running, true);
    call.wake(instance_topic(task->instance));
    call.wake(task_topic(task->id));
  }
  TaskView view(call, cluster);
  return {.task = view.show(*task, true)};
}

std::vector<Operation> task_operations() {
  return {
      operation<&describe_tasks>("DescribeTasks", Access::Read),
      operation<&list_tasks>("ListTasks", Access::Read),
      operation<&stop_task>("StopTask", Access::Write),
  };
}

}  // namespace services::ecs
