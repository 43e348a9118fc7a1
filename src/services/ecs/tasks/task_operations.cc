// SPDX-License-Identifier: Apache-2.0
// Describing, listing and stopping tasks. run_task.cc starts them.
#include "services/ecs/tasks/task_operations.h"

#include <algorithm>
#include <iterator>

#include "services/ecs/arn.h"
#include "services/ecs/capacity/waiting_task.h"
#include "services/ecs/errors.h"
#include "services/ecs/identifiers.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/operations.h"
#include "services/ecs/page.h"
#include "services/ecs/reconciliation/service_tasks.h"
#include "services/ecs/services/stored_service.h"
#include "services/ecs/state_events.h"
#include "services/ecs/tasks/task_view.h"

namespace services::ecs {
namespace {

constexpr std::size_t kMaxDescribed = 100;
constexpr std::size_t kMaxReason = 1024;
constexpr char kStoppedByUser[] = "Task stopped by user";

void check_filters(const ListTasksRequest& request) {
  // "When you specify startedBy as the filter, it must be the only filter that you use." Clients add
  // a desiredStatus nevertheless, and Amazon accepts it.
  if (request.startedBy && (request.containerInstance || request.family || request.serviceName || request.launchType)) {
    throw invalid_parameter("cannot specify startedBy with other arguments");
  }
}

std::int64_t after_row(const Page& page) {
  try {
    return page.after.empty() ? 0 : std::stoll(page.after);
  } catch (const std::exception&) {
    throw invalid_parameter("Invalid token.");
  }
}

}  // namespace

DescribeTasksResponse describe_tasks(Call& call, const DescribeTasksRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  if (request.tasks.empty()) throw invalid_parameter("Tasks cannot be empty.");
  check_at_most(kMaxDescribed, request.tasks.size(), "taskIds");
  const auto include = request.include.value_or(std::vector<std::string>());
  const bool tags = std::find(include.begin(), include.end(), "TAGS") != include.end();
  TaskView view(call, cluster);
  DescribeTasksResponse response;
  response.tasks.emplace();
  response.failures.emplace();
  for (const std::string& text : request.tasks) {
    if (auto task = find_requested_task(call.tx, cluster, text)) {
      response.tasks->push_back(view.show(*task, tags));
    } else {
      response.failures->push_back(missing_task(cluster, text));
    }
  }
  return response;
}

ListTasksResponse list_tasks(Call& call, const ListTasksRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  const Page page = page_of(request.maxResults, request.nextToken);
  const std::string desired = request.desiredStatus.value_or("RUNNING");
  check_filters(request);
  state::TaskFilter filter{.cluster = cluster.number,
                           .after = after_row(page),
                           .started_by = request.startedBy,
                           .family = request.family,
                           .most = page.size + 1};
  if (request.containerInstance) {
    filter.machine_number = find_instance(call.tx, cluster, *request.containerInstance).number;
  }
  if (request.serviceName) filter.service = find_service(call.tx, cluster, *request.serviceName).number;
  std::vector<state::TaskName> found;
  const auto list = [&](state::TaskFilter::Kind kind) {
    filter.kind = kind;
    std::ranges::move(state::list_task_names(call.tx, filter), std::back_inserter(found));
  };
  // All tasks have the launch type EC2 or EXTERNAL.
  const std::string type = request.launchType.value_or("EC2");
  if (request.launchType) filter.external = type == "EXTERNAL";
  const bool none = (type != "EC2" && type != "EXTERNAL") || request.daemonName;
  if (!none && desired == "RUNNING") list(state::TaskFilter::Kind::Running);
  if (!none && desired == "STOPPED") {
    list(state::TaskFilter::Kind::Stopping);
    list(state::TaskFilter::Kind::Stopped);
  }
  std::ranges::sort(found, {}, &state::TaskName::number);
  std::vector<std::string> numbers;
  for (const state::TaskName& name : found) {
    if (std::ssize(numbers) <= page.size) numbers.push_back(std::to_string(name.number));
  }
  ListTasksResponse response;
  response.nextToken = cut_page(numbers, page);
  response.taskArns.emplace();
  for (const state::TaskName& name : found) {
    if (response.taskArns->size() == numbers.size()) break;
    response.taskArns->push_back(task_arn(cluster, model::TaskId(state::to_text(name))));
  }
  return response;
}

StopTaskResponse stop_task(Call& call, const StopTaskRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  auto task = find_requested_task(call.tx, cluster, request.task);
  if (!task) throw invalid_parameter("The referenced task was not found.");
  if (request.reason.value_or("").size() > kMaxReason) {
    throw invalid_parameter("reason longer than 1024.");
  }
  // A task that stops or has stopped keeps its reason.
  if (task->is_waiting()) {
    stop_waiting(call, *task, model::StopCode::UserInitiated, request.reason.value_or(kStoppedByUser));
  } else if (task->desired == model::DesiredStatus::Running) {
    task->desired = model::DesiredStatus::Stopped;
    task->stopping_at = call.now;
    task->stop_code = model::text(model::StopCode::UserInitiated);
    task->stopped_reason = request.reason.value_or(kStoppedByUser);
    state::update_task(call.tx, *task);
    mark_in_fleet(call, task->cluster, task->id, task->known == model::TaskStatus::Running, true);
    mark_service_of(call, *task);
    call.wake(state::instance_topic(task->machine));
    call.wake(state::task_topic(task->id));
    publish_task_change(call, cluster, task->id);
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
