// SPDX-License-Identifier: Apache-2.0
// One container of a task: read its environment files, pull, wait for its turn, create, start, wait for its end.
#include <algorithm>

#include "agent/tasks/dependencies.h"
#include "agent/tasks/overrides.h"
#include "agent/tasks/task_runner.h"
#include "base/log.h"
#include "model/container.h"

namespace agent {
namespace asio = boost::asio;
namespace {

constexpr std::chrono::seconds kDefaultStopTimeout{30};  // Amazon's
constexpr base::Duration kStopAgain = std::chrono::seconds(5);

constexpr const char* kEssentialExited = "Essential container in task exited";
constexpr const char* kFailedToStart = "Task failed to start";
constexpr const char* kOutOfMemory = "OutOfMemoryError: Container killed due to memory usage";

model::RestartPolicy policy_of(const shapes::agent::Container& container) {
  model::RestartPolicy policy;
  if (!container.restartPolicy) return policy;
  const shapes::agent::RestartPolicy& given = *container.restartPolicy;
  policy.enabled = given.enabled;
  if (given.ignoredExitCodes) policy.ignored_exit_codes.assign(given.ignoredExitCodes->begin(), given.ignoredExitCodes->end());
  if (given.restartAttemptPeriod) policy.attempt_period = std::chrono::seconds(*given.restartAttemptPeriod);
  return policy;
}

base::Duration wait_until(std::optional<base::Time> until, base::Time now) {
  if (!until) return kLookAgain;
  return std::clamp(*until - now, base::Duration(1), kLookAgain);
}

}  // namespace

// An exception is a driver's or ours. The container may run all the same, so it is looked at again;
// only one that was never made may be given up.
asio::awaitable<void> TaskRunner::run_container(std::size_t index) {
  while (record_.containers[index].status != kStopped) {
    std::string failure;
    try {
      co_await advance(index);
    } catch (const std::exception& error) {
      failure = error.what();
    }
    check_alive();
    if (failure.empty()) continue;
    const ContainerRecord& container = record_.containers[index];
    base::log_error("container failed", {{"task", arn()}, {"container", container.name}, {"error", failure}});
    if (container.id.empty()) {
      end(index, "CannotCreateContainerError: " + failure);
    } else {
      co_await sleep_for(machine_.timing.retry);
    }
  }
}

// From where the record says that it is, to its end.
asio::awaitable<void> TaskRunner::advance(std::size_t index) {
  ContainerRecord& container = record_.containers[index];
  if (container.id.empty()) {
    bool read = co_await read_files(index);  // first: that one is not there is known before an image is pulled
    if (!read) co_return;
    bool pulled = co_await pull(index);
    if (!pulled) co_return;
    bool turn = co_await await_turn(index);
    if (!turn) co_return;
    bool created = co_await create(index);
    if (!created) co_return;
  }
  if (container.status == kPending) {
    if (!begun_[index]) {
      bool turn = co_await await_turn(index);  // a second time only after a restart of the agent
      if (!turn) co_return;
    }
    bool started = co_await start(index);
    if (!started) co_return;
  }
  co_await await_exit(index);
}

TaskRunner::Step TaskRunner::pull(std::size_t index) {
  if (!record_.pullStartedAt) record_.pullStartedAt = machine_.clock.now();
  std::shared_ptr<Pull> pull;
  if (!wants_stop()) pull = machine_.pulls.begin(record_.task.containers[index].image);
  while (!wants_stop() && !pull->result) {
    co_await machine_.changed.wait(kLookAgain);
  }
  check_alive();
  if (wants_stop()) {
    end(index, "");
    co_return false;
  }
  if (!*pull->result) {
    end(index, pull->result->error());
    co_return false;
  }
  const std::string& digest = (*pull->result)->digest;
  record_.containers[index].imageDigest = digest.empty() ? std::nullopt : std::optional(digest);
  record_.pullStoppedAt = machine_.clock.now();
  co_return true;
}

TaskRunner::Step TaskRunner::await_turn(std::size_t index) {
  for (;;) {
    check_alive();
    if (wants_stop()) {
      end(index, "");
      co_return false;
    }
    const base::Time now = machine_.clock.now();
    StartAnswer answer = may_start(record_, index, now);
    if (answer.readiness == Readiness::Never) {
      end(index, "CannotStartContainerError: " + answer.reason);
      // Amazon stops the task here whether or not this container is essential.
      stop(kFailedToStart);
      co_return false;
    }
    if (answer.readiness == Readiness::Ready && gpus_granted_) co_return true;
    co_await machine_.changed.wait(wait_until(answer.until, now));
  }
}

base::Result<drivers::ContainerSpec> TaskRunner::spec_of(std::size_t index) const {
  base::Result<shapes::agent::Container> overridden = with_overrides(record_.task.containers[index]);
  if (!overridden) return base::Error{overridden.error()};
  shapes::agent::Container& container = *overridden;
  // What the definition or the launch says itself stands above its files.
  container.environment.insert(file_variables_[index].begin(), file_variables_[index].end());
  if (machine_.environment) {
    for (const auto& [name, value] : machine_.environment(record_, record_.containers[index])) {
      container.environment.emplace(name, value);
    }
  }
  drivers::ContainerSpec spec;
  spec.task = record_.task;
  for (const GpuClaim& claim : claims_) {
    const gpu::Gpu* gpu = claim.container == container.name ? machine_.ledger.find(claim.gpu) : nullptr;
    if (gpu && std::ranges::count(spec.gpus, gpu->id, &gpu::Gpu::id) == 0) spec.gpus.push_back(*gpu);
  }
  std::ranges::sort(spec.gpus, {}, &gpu::Gpu::index);
  spec.shares = shares_of(index);
  spec.all_gpus = spec.gpus.empty() && (machine_.gpu_default_runtime || container.privileged.value_or(false));
  spec.log_file = machine_.store.log_file(arn(), container.name);
  spec.work_folder = machine_.store.work_folder(arn());
  spec.container = std::move(container);
  return spec;
}

TaskRunner::Step TaskRunner::create(std::size_t index) {
  base::Result<drivers::ContainerSpec> spec = spec_of(index);
  if (!spec) {
    end(index, spec.error());
    co_return false;
  }
  bool joined = co_await join_shares(index, *spec);
  check_alive();
  if (!joined) co_return false;
  base::Result<std::string> id = co_await machine_.driver.create(std::move(*spec));
  check_alive();
  if (!id) {
    end(index, id.error());
    co_return false;
  }
  record_.containers[index].id = *id;
  record_.containers[index].createdAt = machine_.clock.now();
  file_variables_[index].clear();
  changed();
  co_return true;
}

TaskRunner::Step TaskRunner::start(std::size_t index) {
  const std::string id = record_.containers[index].id;
  begun_[index] = true;
  base::Result<drivers::Started> started = co_await machine_.driver.start(id);
  check_alive();
  if (!started) {
    // Perhaps only the answer was lost. What it holds is not free before it is known not to run.
    co_await end_for_good(machine_, id, base::Duration(0));
    end(index, started.error());
    co_return false;
  }
  mark_started(index, *started);
  co_return true;
}

void TaskRunner::mark_started(std::size_t index, const drivers::Started& started) {
  ContainerRecord& container = record_.containers[index];
  begun_[index] = false;
  container.status = kRunning;
  container.startedAt = started.at == base::Time() ? machine_.clock.now() : started.at;
  container.address = started.address;
  container.bindings.clear();
  for (const drivers::Binding& binding : started.bindings) {
    container.bindings.push_back({.bindIP = binding.bind_ip,
                                  .containerPort = binding.container_port,
                                  .hostPort = binding.host_port,
                                  .protocol = binding.protocol});
  }
  base::log_info("container started", {{"task", arn()}, {"container", container.name}, {"id", container.id}});
  changed();
}

asio::awaitable<void> TaskRunner::await_exit(std::size_t index) {
  ContainerRecord& container = record_.containers[index];
  if (container.health && health_watchers_[index] == 0) {
    health_watchers_[index] = coroutines_.spawn("health", watch_health(index));
  }
  for (;;) {
    base::Result<drivers::Exit> exit = co_await machine_.driver.wait(container.id);
    check_alive();
    if (!exit) {
      end(index, kGone);
      co_return;
    }
    if (wants_stop() || !restarts(index, *exit)) {
      end(index, *exit);
      co_return;
    }
    base::log_info("container restarts", {{"task", arn()}, {"container", container.name}, {"exit", exit->code}});
    ++container.restarts;
    bool started = co_await start(index);
    if (!started) co_return;
  }
}

bool TaskRunner::restarts(std::size_t index, const drivers::Exit& exit) const {
  const base::Time began = record_.containers[index].startedAt.value_or(exit.at);
  return model::restarts(policy_of(record_.task.containers[index]), exit.code, exit.at - began);
}

asio::awaitable<void> TaskRunner::watch_health(std::size_t index) {
  ContainerRecord& container = record_.containers[index];
  while (container.status != kStopped) {
    const std::string known = container.health.value_or("UNKNOWN");
    base::Result<std::string> health = co_await machine_.driver.health(container.id, known);
    check_alive();
    if (!health) {
      co_await sleep_for(machine_.timing.retry);
    } else if (*health != known && container.status != kStopped) {
      container.health = *health;
      container.healthSince = machine_.clock.now();
      changed();
    }
  }
}

void TaskRunner::end(std::size_t index, const drivers::Exit& exit) {
  ContainerRecord& container = record_.containers[index];
  container.exitCode = exit.code;
  container.finishedAt = exit.at == base::Time() ? machine_.clock.now() : exit.at;
  if (exit.out_of_memory) {
    container.reason = kOutOfMemory;
  } else if (!exit.error.empty()) {
    container.reason = exit.error;
  }
  on_container_end(index);
}

void TaskRunner::end(std::size_t index, const std::string& reason) {
  ContainerRecord& container = record_.containers[index];
  if (!reason.empty()) container.reason = reason;
  container.finishedAt = machine_.clock.now();
  on_container_end(index);
}

void TaskRunner::on_container_end(std::size_t index) {
  ContainerRecord& container = record_.containers[index];
  container.status = kStopped;
  if (health_watchers_[index] != 0) coroutines_.cancel(health_watchers_[index]);
  coroutines_.spawn("shares", leave_shares(index));
  const std::string code = container.exitCode ? std::to_string(*container.exitCode) : "none";
  base::log_info("container ended", {{"task", arn()}, {"container", container.name}, {"exit", code},
                                     {"reason", container.reason.value_or("")}});
  if (record_.task.containers[index].essential) stop(container.startedAt ? kEssentialExited : kFailedToStart);
  changed();
}

asio::awaitable<void> end_for_good(Machine& machine, std::string container_id, base::Duration grace) {
  for (;;) {
    base::Result<drivers::Nothing> gone = base::Error{"not tried"};
    try {
      base::Result<drivers::Nothing> stopped = co_await machine.driver.stop(container_id, grace);
      gone = std::move(stopped);
      if (gone) {
        base::Result<drivers::Nothing> removed = co_await machine.driver.remove(container_id);
        gone = std::move(removed);
      }
    } catch (const std::exception& error) {
      if (machine.stopping) throw;
      gone = base::Error{error.what()};
    }
    if (gone) co_return;
    base::log_error("container not ended", {{"id", container_id}, {"error", gone.error()}});
    co_await sleep_for(machine.timing.retry);
  }
}

// Until it has ended: it is never given up, since what it holds is not free before.
asio::awaitable<void> TaskRunner::stop_container(std::size_t index) {
  const ContainerRecord& container = record_.containers[index];
  const auto grace = record_.task.containers[index].stopTimeout;
  const base::Duration timeout = grace ? std::chrono::seconds(*grace) : kDefaultStopTimeout;
  while (container.status != kStopped) {
    check_alive();
    if (container.status == kPending || !may_stop(record_, index)) {
      co_await machine_.changed.wait(kLookAgain);
      continue;
    }
    base::Result<drivers::Nothing> stopped = co_await machine_.driver.stop(container.id, timeout);
    check_alive();
    if (!stopped) {
      base::log_error("container not stopped", {{"task", arn()}, {"container", container.name},
                                                {"error", stopped.error()}});
      co_await sleep_for(machine_.timing.retry);
    } else if (container.status != kStopped) {
      co_await machine_.changed.wait(kStopAgain);  // its end is on its way to await_exit()
    }
  }
}

}  // namespace agent
