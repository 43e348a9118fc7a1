// SPDX-License-Identifier: Apache-2.0
// What a task waits for, or why it stopped, in sentences that a person can act on.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/duration.h"
#include "services/ecs/capacity/explain_waiting.h"
#include "services/ecs/tasks/explain.h"
#include "services/ecs/machines/instance.h"
#include "services/ecs/tasks/live_pulls.h"
#include "services/ecs/tasks/report.h"
#include "services/ecs/tasks/task_view.h"

namespace services::ecs {
namespace {

using shapes::ecs::Container;
using shapes::stoker::StokerExplainResponse;
using shapes::stoker::StokerPullState;
using shapes::stoker::StokerTaskState;
using Sentences = std::vector<std::string>;

constexpr int kSignalled = 128;  // an exit code above it names the signal
constexpr int kKilled = kSignalled + 9;

std::string ago(base::Time now, base::Time then) { return base::duration_text(now - then); }

base::Time since(const state::Task& task) {
  if (task.stopped_at) return *task.stopped_at;
  if (task.desired == model::DesiredStatus::Stopped && task.stopping_at) return *task.stopping_at;
  if (task.known == model::TaskStatus::Running && task.started_at) return *task.started_at;
  return task.created_at;
}

std::string away(const StokerTaskState& state, base::Time now) {
  return fmt::format("The agent of {} has been away for {}", state.machine, ago(now, *state.agentSince));
}

// Our agent reports these times when the task runs or has stopped, and its pulls before.
std::optional<base::Time> pull_began(const StokerTaskState& state, const Report& report) {
  if (state.pulls) return std::ranges::min_element(*state.pulls, {}, &StokerPullState::startedAt)->startedAt;
  return report.pullStoppedAt ? std::nullopt : report.pullStartedAt;
}

void explain_pending(const state::Task& task, const StokerTaskState& state, base::Time now, Sentences& out) {
  const std::string time = ago(now, task.created_at);
  const Report report = report_of(task);
  if (!task.delivered && state.agentConnected) {
    out.push_back(fmt::format("It is PENDING: it was placed on {} {} ago, and its agent has not acknowledged it yet.", state.machine, time));
  } else if (!task.delivered) {
    out.push_back(fmt::format("It has been PENDING for {}: it waits for the agent of {} to connect.", time, state.machine));
  } else if (const auto began = pull_began(state, report)) {
    out.push_back(fmt::format("It has been PENDING for {}: {} has been pulling its images for {}.", time,
                              state.machine, ago(now, *began)));
    for (const StokerPullState& pull : state.pulls.value_or(std::vector<StokerPullState>())) {
      if (!pull.detail.empty()) out.push_back(fmt::format("The image {}: {}.", pull.image, pull.detail));
    }
  } else {
    out.push_back(fmt::format("It has been PENDING for {}: {} is preparing or starting its containers.",
                              time, state.machine));
  }
}

void explain_status(const state::Task& task, const StokerTaskState& state, base::Time now, Sentences& out) {
  const std::string reason = task.stopped_reason.value_or("no reason given");
  const std::string code = task.stop_code ? " (" + *task.stop_code + ")" : "";
  if (task.stopped_at) {
    const std::string where = task.machine_number == 0 ? "before it was placed" : "on " + state.machine;
    out.push_back(fmt::format("It STOPPED {} ago {}: {}{}.", ago(now, *task.stopped_at), where, reason, code));
  } else if (task.desired == model::DesiredStatus::Stopped) {
    out.push_back(fmt::format("Its stop was requested {} ago: {}{}.", ago(now, since(task)), reason, code));
    if (state.agentConnected) {
      out.push_back(fmt::format("{} is stopping its containers: each has its stopTimeout, by default 30 s, before it is "
                                "killed.",
                                state.machine));
    }
  } else if (task.known == model::TaskStatus::Running) {
    out.push_back(fmt::format("It has been RUNNING for {} on {}.", ago(now, since(task)), state.machine));
  } else {
    explain_pending(task, state, now, out);
  }
}

void explain_agent(const state::Task& task, const StokerTaskState& state, base::Time now, Sentences& out) {
  if (task.stopped_at || state.agentConnected || !state.agentSince) return;
  if (task.delivered) {
    out.push_back(away(state, now) + ": the task goes on, and its state is updated when the agent is back.");
  } else {
    out.push_back(away(state, now) + ": start the agent, or stop the task and run it again elsewhere.");
  }
}

void explain_gpus(const state::Task& task, const std::optional<StoredInstance>& instance, Sentences& out) {
  std::map<std::string, std::string> models;
  for (const auto& gpu : instance ? instance->gpus.gpus : std::vector<shapes::agent::StokerGpu>()) {
    models[gpu.id] = gpu.model;
  }
  for (const model::GpuHold& held : task.hold.gpus) {
    const std::string& model = models[held.gpu.str()];
    out.push_back(fmt::format("{} {} {}{}, for container {}.", task.stopped_at ? "It held" : "It holds",
                              held.shared_memory_mib > 0 ? fmt::format("{} MiB of", held.shared_memory_mib) : "all of",
                              held.gpu.str(),
                              model.empty() ? "" : " (" + model + ")", held.container));
  }
}

std::string exit_meaning(int code) {
  if (code == kKilled) return " (SIGKILL: out of memory, killed, or not stopped in time)";
  if (code > kSignalled && code < kSignalled + 65) return fmt::format(" (signal {})", code - kSignalled);
  return "";
}

void explain_container(const Container& container, Sentences& out) {
  const std::string reason = container.reason && !container.reason->empty() ? ": " + *container.reason : "";
  if (container.exitCode) {
    out.push_back(fmt::format("Container {} exited with {}{}{}.", *container.name, *container.exitCode,
                              exit_meaning(*container.exitCode), reason));
  } else {
    const bool unhealthy = container.healthStatus == "UNHEALTHY";
    out.push_back(fmt::format("Container {} is {}{}{}.", *container.name, container.lastStatus.value_or("PENDING"),
                              unhealthy ? ", and UNHEALTHY by its health check" : "", reason));
  }
}

void add_pulls(Call& call, const state::Task& task, StokerTaskState& state) {
  state.version = std::to_string(task.version);
  if (task.known != model::TaskStatus::Pending) return;
  std::vector<StokerPullState> pulls;
  for (const auto& pull : call.local<LivePulls>().of(task.machine, task.id)) {
    pulls.push_back(to_state(pull));
    state.version += ", " + pull.image + ": " + pulls.back().detail;
  }
  if (!pulls.empty()) state.pulls = std::move(pulls);
}

}  // namespace

StokerExplainResponse explain_task(Call& call, const state::Cluster& cluster, const state::Task& task) {
  StokerExplainResponse response;
  const auto instance = load_instance(call.tx, task.machine);
  StokerTaskState& state = response.state.emplace();
  state.task = TaskView(call, cluster).show(task, true);
  state.since = since(task);
  state.machine = instance ? instance->name : task.machine.str();
  if (instance) {
    state.agentConnected = instance->connected;
    state.agentSince = instance->connected_at;
  }
  add_pulls(call, task, state);
  if (task.is_waiting()) {
    explain_waiting(call, cluster, task, response);
    return response;
  }
  explain_status(task, state, call.now, response.sentences);
  explain_agent(task, state, call.now, response.sentences);
  if (instance && instance->connected && !task.stopped_at && !instance->health.troubles.empty()) {
    response.sentences.push_back(fmt::format("{} accepts no new tasks: {}.", instance->name, instance->trouble()));
  }
  explain_gpus(task, instance, response.sentences);
  for (const Container& container : *state.task.containers) explain_container(container, response.sentences);
  return response;
}

}  // namespace services::ecs
