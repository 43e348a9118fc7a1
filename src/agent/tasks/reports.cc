// SPDX-License-Identifier: Apache-2.0
#include "agent/tasks/reports.h"

#include <algorithm>
#include <random>

#include "base/log.h"
#include "wire/error.h"

namespace agent {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kMaxReason = 1024;  // Amazon's agent truncates it there too

std::optional<std::string> truncated(const std::optional<std::string>& reason) {
  if (!reason || reason->empty()) return std::nullopt;
  return reason->substr(0, kMaxReason);
}

shapes::ecs::ContainerStateChange state_change(const ContainerRecord& container) {
  shapes::ecs::ContainerStateChange change;
  change.containerName = container.name;
  change.status = container.status;
  change.exitCode = container.exitCode;
  change.reason = truncated(container.reason);
  change.imageDigest = container.imageDigest;
  if (!container.id.empty()) change.runtimeId = container.id;
  if (!container.bindings.empty()) change.networkBindings = container.bindings;
  return change;
}

// Our agent starts commands itself: it replaces the managed agent as long as the container runs.
std::vector<shapes::ecs::ManagedAgentStateChange> managed_agents(const TaskRecord& record) {
  std::vector<shapes::ecs::ManagedAgentStateChange> changes;
  for (std::size_t i = 0; i < record.containers.size() && i < record.task.containers.size(); ++i) {
    const ContainerRecord& container = record.containers[i];
    if (container.status == kPending || !record.task.containers[i].managedAgents) continue;
    for (const shapes::agent::ManagedAgent& agent : *record.task.containers[i].managedAgents) {
      changes.push_back({.containerName = container.name, .managedAgentName = agent.name, .status = container.status});
    }
  }
  return changes;
}

// The status to report now; "": none.
std::string status_to_report(const TaskRecord& record) {
  const std::string known = known_status(record);
  if (known == kStopped) return record.executionStoppedAt && record.reported != kStopped ? kStopped : "";
  if (known != kRunning) return "";
  const bool unreported = std::ranges::any_of(
      record.containers, [](const ContainerRecord& container) { return container.status != container.reported; });
  return unreported ? kRunning : "";
}

}  // namespace

std::optional<Report> next_report(const TaskRecord& record) {
  const std::string status = status_to_report(record);
  if (status.empty()) return std::nullopt;
  Report report;
  report.cluster = record.task.taskClusterArn;
  report.task = record.task.arn;
  report.status = status;
  if (status == kStopped) report.reason = truncated(record.reason);
  report.containers.emplace();
  for (const ContainerRecord& container : record.containers) report.containers->push_back(state_change(container));
  auto agents = managed_agents(record);
  if (!agents.empty()) report.managedAgents = std::move(agents);
  report.pullStartedAt = record.pullStartedAt;
  report.pullStoppedAt = record.pullStoppedAt;
  if (status == kStopped) report.executionStoppedAt = record.executionStoppedAt;
  return report;
}

void mark_reported(TaskRecord& record, const Report& report) {
  record.reported = *report.status;
  for (std::size_t i = 0; i < record.containers.size(); ++i) {
    record.containers[i].reported = *(*report.containers)[i].status;
  }
}

bool is_permanent_rejection(const std::string& code) {
  return code == "ClientException" || code == "InvalidParameterException" || code == "ClusterNotFoundException";
}

asio::awaitable<void> deliver_reports(Machine& machine, TaskRunner& runner, Submit submit) {
  std::minstd_rand random(std::random_device{}());
  base::Duration pause = machine.timing.retry;
  while (runner.record().reported != kStopped) {
    std::optional<Report> report = next_report(runner.record());
    if (!report) {
      co_await machine.changed.wait(kLongestWait);
      continue;
    }
    if (report->status == kStopped && machine.flush_logs) {
      std::string arn = runner.arn();
      co_await machine.flush_logs(std::move(arn));
    }
    bool done = false;
    std::string failure;
    try {
      Report sent = *report;
      co_await submit(std::move(sent));
      done = true;
    } catch (const wire::ApiError& error) {
      done = is_permanent_rejection(error.code());
      failure = error.code() + ": " + error.message();
    } catch (const std::exception& error) {
      failure = error.what();
    }
    if (machine.stopping) co_return;
    if (!failure.empty()) {
      base::log_warn("task state not reported",
                     {{"task", runner.arn()}, {"status", *report->status}, {"error", failure}});
    }
    if (done) {
      runner.update([&](TaskRecord& record) { mark_reported(record, *report); });
      pause = machine.timing.retry;
      continue;
    }
    // Between half the pause and all of it, so that tasks that failed together do not retry together.
    co_await sleep_for(pause / 2 + base::Duration(random() % (pause.count() / 2 + 1)));
    pause = std::min(pause * 2, machine.timing.retry_longest);
  }
}

}  // namespace agent
