// SPDX-License-Identifier: Apache-2.0
// What agents say of tasks: DiscoverPollEndpoint and the Submit calls. A report that comes late or
// twice is acknowledged and changes nothing.
#include "services/ecs/errors.h"
#include "services/ecs/identifiers.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/operations.h"
#include "services/ecs/tasks/task_operations.h"
#include "services/ecs/tasks/task_row.h"

namespace services::ecs {
namespace {

constexpr char kAccepted[] = "ACCEPTED";

TaskState find_task(Call& call, const StoredCluster& cluster, const std::optional<std::string>& text) {
  auto task = load_task_state(call.tx, cluster, text.value_or(""));
  if (!task) throw invalid_parameter("The referenced task was not found.");
  return std::move(*task);
}

// What is not said again stays as it was said before.
template <class T>
void overlay(std::optional<T>& into, const std::optional<T>& from) {
  if (from) into = from;
}

void merge(Report& report, const ContainerStateChange& change) {
  for (ContainerStateChange& known : report.containers) {
    if (known.containerName != change.containerName) continue;
    overlay(known.imageDigest, change.imageDigest);
    overlay(known.runtimeId, change.runtimeId);
    overlay(known.exitCode, change.exitCode);
    overlay(known.networkBindings, change.networkBindings);
    overlay(known.reason, change.reason);
    overlay(known.status, change.status);
    return;
  }
  report.containers.push_back(change);
}

void merge(TaskState& task, const SubmitTaskStateChangeRequest& request) {
  const bool says_more = (request.containers && !request.containers->empty()) || request.pullStartedAt ||
                         request.pullStoppedAt || request.executionStoppedAt;
  if (!says_more) return;
  if (!task.report) task.report.emplace();
  for (const ContainerStateChange& change : request.containers.value_or(std::vector<ContainerStateChange>())) {
    merge(*task.report, change);
  }
  overlay(task.report->pullStartedAt, request.pullStartedAt);
  overlay(task.report->pullStoppedAt, request.pullStoppedAt);
  overlay(task.report->executionStoppedAt, request.executionStoppedAt);
}

void report_stopped(Call& call, TaskState& task, const std::optional<std::string>& reason) {
  // One that ended at once may never have been reported as RUNNING: what has an exit code ran.
  const Report report = task.report.value_or(Report());
  for (const ContainerStateChange& container : report.containers) {
    if (container.exitCode && !task.started_at) task.started_at = report.pullStoppedAt.value_or(call.now);
  }
  const bool ran = task.started_at.has_value();
  const auto code = ran ? model::StopCode::EssentialContainerExited : model::StopCode::TaskFailedToStart;
  const char* plain = ran ? "Essential container in task exited" : "Task failed to start";
  stop_now(call, task, code, reason.value_or("").empty() ? plain : *reason);
}

void report_running(Call& call, TaskState& task) {
  if (model::may_become(task.known, model::TaskStatus::Running)) {
    task.known = model::TaskStatus::Running;
    if (!task.started_at) task.started_at = call.now;
  }
  // Whoever reports it has it.
  task.delivered = true;
  update_task(call.tx, task);
  mark_in_fleet(call, task.cluster, task.id, true, task.desired == model::DesiredStatus::Stopped);
  call.wake(task_topic(task.id));
}

}  // namespace

DiscoverPollEndpointResponse discover_poll_endpoint(Call& call, const DiscoverPollEndpointRequest& request) {
  const StoredCluster cluster = find_cluster(call, request.cluster);
  if (request.containerInstance) find_instance(call.tx, cluster, *request.containerInstance);
  return {.endpoint = call.caller.endpoint, .telemetryEndpoint = call.caller.endpoint};
}

SubmitTaskStateChangeResponse submit_task_state_change(Call& call, const SubmitTaskStateChangeRequest& request) {
  const StoredCluster cluster = find_cluster(call, request.cluster);
  TaskState task = find_task(call, cluster, request.task);
  if (task.stopped_at) return {.acknowledgment = kAccepted};
  merge(task, request);
  const std::string status = request.status.value_or("");
  if (status == "STOPPED") {
    report_stopped(call, task, request.reason);
  } else if (status == "RUNNING") {
    report_running(call, task);
  } else {
    update_task(call.tx, task);
  }
  return {.acknowledgment = kAccepted};
}

SubmitContainerStateChangeResponse submit_container_state_change(Call& call,
                                                                 const SubmitContainerStateChangeRequest& request) {
  const StoredCluster cluster = find_cluster(call, request.cluster);
  TaskState task = find_task(call, cluster, request.task);
  if (!request.containerName) throw invalid_parameter("containerName can not be blank.");
  if (task.stopped_at) return {.acknowledgment = kAccepted};
  if (!task.report) task.report.emplace();
  merge(*task.report, ContainerStateChange{.containerName = request.containerName,
                                           .runtimeId = request.runtimeId,
                                           .exitCode = request.exitCode,
                                           .networkBindings = request.networkBindings,
                                           .reason = request.reason,
                                           .status = request.status});
  update_task(call.tx, task);
  call.wake(task_topic(task.id));
  return {.acknowledgment = kAccepted};
}

// Attachments are network interfaces and volumes of Amazon's: there are none here, so there is none
// whose state could change.
SubmitAttachmentStateChangesResponse submit_attachment_state_changes(
    Call& call, const SubmitAttachmentStateChangesRequest& request) {
  find_cluster(call, request.cluster);
  if (!request.attachments.empty()) {
    throw invalid_parameter("The referenced attachment was not found: " + request.attachments.front().attachmentArn);
  }
  return {.acknowledgment = kAccepted};
}

std::vector<Operation> agent_operations() {
  return {
      operation<&discover_poll_endpoint>("DiscoverPollEndpoint", Access::Read),
      operation<&submit_attachment_state_changes>("SubmitAttachmentStateChanges", Access::Write),
      operation<&submit_container_state_change>("SubmitContainerStateChange", Access::Write),
      operation<&submit_task_state_change>("SubmitTaskStateChange", Access::Write),
  };
}

}  // namespace services::ecs
