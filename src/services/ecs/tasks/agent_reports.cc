// SPDX-License-Identifier: Apache-2.0
// Reports of agents: DiscoverPollEndpoint and the Submit operations. A report that comes late or twice is
// acknowledged and changes nothing.
#include <algorithm>
#include <string_view>

#include "base/utf8.h"
#include "services/ecs/arn.h"
#include "services/ecs/errors.h"
#include "services/ecs/identifiers.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/machines/machine_access.h"
#include "services/ecs/operations.h"
#include "services/ecs/reconciliation/service_tasks.h"
#include "services/ecs/state_events.h"
#include "services/ecs/tasks/report.h"
#include "services/ecs/tasks/stop.h"
#include "services/ecs/tasks/task_operations.h"
#include "services/ecs/tasks/task_view.h"

namespace services::ecs {
namespace {

constexpr char kAccepted[] = "ACCEPTED";

// As much as Amazon's agent sends.
constexpr std::size_t kMaxReasonBytes = 1024, kMaxTextBytes = 255, kMaxBindings = 100;

state::TaskState find_task(Call& call, const state::Cluster& cluster, const std::optional<std::string>& text) {
  auto task = load_task_state(call.tx, cluster, text.value_or(""));
  if (!task) throw invalid_parameter("The referenced task was not found.");
  return std::move(*task);
}

void shorten(std::optional<std::string>& text, std::size_t most) {
  if (text && text->size() > most) text = base::to_printable(text->substr(0, most));
}

// "sha256:0a1b...". All tasks of a deployment run the image that the first one reports.
bool is_digest(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto is_hexadecimal = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.substr(0, colon) == "sha256" && colon + 1 < text.size() && text.size() <= kMaxTextBytes &&
         std::ranges::all_of(text.substr(colon + 1), is_hexadecimal);
}

ContainerStateChange shortened(ContainerStateChange change) {
  shorten(change.reason, kMaxReasonBytes);
  for (auto* text : {&change.runtimeId, &change.status}) shorten(*text, kMaxTextBytes);
  if (change.imageDigest && !is_digest(*change.imageDigest)) change.imageDigest.reset();
  if (!change.networkBindings) return change;
  if (change.networkBindings->size() > kMaxBindings) change.networkBindings->resize(kMaxBindings);
  for (NetworkBinding& binding : *change.networkBindings) {
    for (auto* text : {&binding.bindIP, &binding.protocol, &binding.containerPortRange, &binding.hostPortRange}) {
      shorten(*text, kMaxTextBytes);
    }
  }
  return change;
}

// What a later report leaves out stays as it was.
template <class T>
void overlay(std::optional<T>& into, const std::optional<T>& from) {
  if (from) into = from;
}

// Ignores containers that are not in the task's definition, so that an agent can't add any number of them.
void merge(Report& report, ContainerStateChange change, TaskView& view, const state::TaskState& task) {
  change = shortened(std::move(change));
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
  if (view.has_container(task, change.containerName.value_or(""))) report.containers.push_back(std::move(change));
}

// Only of containers that were reported.
void merge(Report& report, ManagedAgentStateChange change) {
  if (change.managedAgentName != kExecAgent || change.status.size() > kMaxTextBytes) return;
  shorten(change.reason, kMaxReasonBytes);
  for (const ContainerStateChange& known : report.containers) {
    if (known.containerName == change.containerName) report.exec_agents[change.containerName] = change;
  }
}

// Writes what the request adds to the report; a request that adds nothing leaves the row as it is.
void merge(TaskView& view, state::TaskState& task, const SubmitTaskStateChangeRequest& request) {
  const bool has_more = (request.containers && !request.containers->empty()) || request.managedAgents ||
                        request.pullStartedAt || request.pullStoppedAt || request.executionStoppedAt;
  if (!has_more) return;
  Report report = report_of(task);
  for (const ContainerStateChange& change : request.containers.value_or(std::vector<ContainerStateChange>())) {
    merge(report, change, view, task);
  }
  for (const auto& change : request.managedAgents.value_or(std::vector<ManagedAgentStateChange>())) {
    merge(report, change);
  }
  overlay(report.pullStartedAt, request.pullStartedAt);
  overlay(report.pullStoppedAt, request.pullStoppedAt);
  overlay(report.executionStoppedAt, request.executionStoppedAt);
  set_report(task, report);
}

void report_stopped(Call& call, state::TaskState& task, std::optional<std::string> reason) {
  shorten(reason, kMaxReasonBytes);
  // A task that ended at once may never have been reported as RUNNING, but a container with an exit code ran.
  const Report report = report_of(task);
  for (const ContainerStateChange& container : report.containers) {
    if (container.exitCode && !task.started_at) task.started_at = report.pullStoppedAt.value_or(call.now);
  }
  const bool ran = task.started_at.has_value();
  const auto code = ran ? model::StopCode::EssentialContainerExited : model::StopCode::TaskFailedToStart;
  const char* plain = ran ? "Essential container in task exited" : "Task failed to start";
  stop_now(call, task, code, reason.value_or("").empty() ? plain : *reason);
}

void set_running(Call& call, state::TaskState& task) {
  if (model::may_become(task.known, model::TaskStatus::Running)) {
    task.known = model::TaskStatus::Running;
    if (!task.started_at) task.started_at = call.now;
  }
  // An agent that reports a task has it.
  task.delivered = true;
}

bool is_same(const state::TaskState& a, const state::TaskState& b) {
  return a.known == b.known && a.delivered == b.delivered && a.report_json == b.report_json;
}

// A repeated report wakes nobody.
void store_change(Call& call, const state::TaskState& before, state::TaskState& task) {
  if (is_same(before, task)) return;
  state::update_task(call.tx, task);
  if (task.known == model::TaskStatus::Running) {
    mark_in_fleet(call, task.cluster, task.id, true, task.desired == model::DesiredStatus::Stopped);
    mark_service_of(call, task);
  }
  call.wake(state::task_topic(task.id));
  publish_task_change(call, task);
}

}  // namespace

DiscoverPollEndpointResponse discover_poll_endpoint(Call& call, const DiscoverPollEndpointRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  if (request.containerInstance) {
    check_own_machine(call.caller, find_instance(call.tx, cluster, *request.containerInstance));
  }
  return {.endpoint = call.caller.endpoint, .telemetryEndpoint = call.caller.endpoint};
}

SubmitTaskStateChangeResponse submit_task_state_change(Call& call, const SubmitTaskStateChangeRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  state::TaskState task = find_task(call, cluster, request.task);
  if (task.stopped_at || task.is_waiting()) return {.acknowledgment = kAccepted};
  check_own_machine(call.caller, state::find_machine_key(call.tx, task.machine_number));
  TaskView view(call, cluster);
  const state::TaskState before = task;
  merge(view, task, request);
  const std::string status = request.status.value_or("");
  if (status == "STOPPED") {
    report_stopped(call, task, request.reason);
    return {.acknowledgment = kAccepted};
  }
  if (status == "RUNNING") set_running(call, task);
  store_change(call, before, task);
  return {.acknowledgment = kAccepted};
}

SubmitContainerStateChangeResponse submit_container_state_change(Call& call,
                                                                 const SubmitContainerStateChangeRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  state::TaskState task = find_task(call, cluster, request.task);
  if (!request.containerName) throw invalid_parameter("containerName can not be blank.");
  if (task.stopped_at || task.is_waiting()) return {.acknowledgment = kAccepted};
  check_own_machine(call.caller, state::find_machine_key(call.tx, task.machine_number));
  Report report = report_of(task);
  TaskView view(call, cluster);
  ContainerStateChange change{.containerName = request.containerName,
                              .runtimeId = request.runtimeId,
                              .exitCode = request.exitCode,
                              .networkBindings = request.networkBindings,
                              .reason = request.reason,
                              .status = request.status};
  merge(report, std::move(change), view, task);
  const state::TaskState before = task;
  set_report(task, report);
  store_change(call, before, task);
  return {.acknowledgment = kAccepted};
}

// Attachments are network interfaces and volumes of Amazon: Stoker has none whose state could change.
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
