// SPDX-License-Identifier: Apache-2.0
#include "agent/tasks/container_runner.h"

#include <algorithm>

#include "agent/tasks/dependencies.h"
#include "agent/tasks/overrides.h"
#include "agent/tasks/task_runner.h"
#include "base/log.h"
#include "model/container.h"

namespace agent {
namespace asio = boost::asio;
namespace {

constexpr base::Duration kStopAgain = std::chrono::seconds(5);

constexpr const char* kEssentialExited = "Essential container in task exited";
constexpr const char* kFailedToStart = "Task failed to start";
constexpr const char* kOutOfMemory = "OutOfMemoryError: Container killed due to memory usage";

model::RestartPolicy restart_policy(const shapes::agent::Container& container) {
  model::RestartPolicy policy;
  if (!container.restartPolicy) return policy;
  const shapes::agent::RestartPolicy& given = *container.restartPolicy;
  policy.enabled = given.enabled;
  if (given.ignoredExitCodes)
    policy.ignored_exit_codes.assign(given.ignoredExitCodes->begin(), given.ignoredExitCodes->end());
  if (given.restartAttemptPeriod) policy.attempt_period = std::chrono::seconds(*given.restartAttemptPeriod);
  return policy;
}

base::Duration wait_until(std::optional<base::Time> until, base::Time now) {
  if (!until) return kLongestWait;
  return std::clamp(*until - now, base::Duration(1), kLongestWait);
}

}  // namespace

ContainerRunner::ContainerRunner(TaskRunner& task, TaskRecord& record, std::size_t index)
    : task_(task),
      machine_(task.machine()),
      index_(index),
      definition_(record.task.containers[index]),
      record_(record.containers[index]) {}

bool ContainerRunner::adopt(const drivers::Found& found) {
  if (record_.status == kStopped) return record_.id == found.id && found.phase != drivers::Phase::Running;
  // The agent ended after it created the container and before it saved the id.
  if (record_.id.empty()) record_.id = found.id;
  if (record_.id != found.id) return false;
  if (record_.status != kPending) {
    may_start_late_ = found.phase == drivers::Phase::Exited && restart_policy(definition_).enabled;
    return true;
  }
  // The agent ended before it saved the start. A container that has exited must not run a second time.
  start_requested_ = found.phase == drivers::Phase::Running;
  if (found.phase == drivers::Phase::Exited) {
    record_.status = kRunning;
    record_.startedAt = record_.createdAt.value_or(machine_.clock.now());
  }
  return true;
}

// After an exception of a driver the container may run all the same, so it is retried. Only one that
// was never created may be given up.
asio::awaitable<void> ContainerRunner::run() {
  while (record_.status != kStopped) {
    std::string failure;
    try {
      co_await advance();
    } catch (const std::exception& error) {
      failure = error.what();
    }
    task_.throw_if_stopping();
    if (failure.empty()) continue;
    base::log_error("container step failed", {{"task", task_.arn()}, {"container", record_.name}, {"error", failure}});
    if (record_.id.empty()) {
      end("CannotCreateContainerError: " + failure);
    } else {
      co_await sleep_for(machine_.timing.retry);
    }
  }
}

// From the step that the record shows, to the end.
asio::awaitable<void> ContainerRunner::advance() {
  if (record_.id.empty()) {
    bool read = co_await read_environment_files();  // first: a missing file is found before an image is pulled
    if (!read) co_return;
    bool pulled = co_await pull();
    if (!pulled) co_return;
    bool turn = co_await await_turn();
    if (!turn) co_return;
    bool created = co_await create();
    if (!created) co_return;
  }
  if (record_.status == kPending) {
    if (!start_requested_) {
      bool turn = co_await await_turn();  // waits only after a restart of the agent
      if (!turn) co_return;
    }
    bool started = co_await start();
    if (!started) co_return;
  }
  co_await await_exit();
}

ContainerRunner::Step ContainerRunner::pull() {
  task_.mark_pull_started();
  std::shared_ptr<Pull> pull;
  if (!task_.wants_stop()) pull = machine_.pulls.begin(definition_.image, task_.arn());
  while (!task_.wants_stop() && !pull->result) {
    co_await machine_.changed.wait(kLongestWait);
  }
  task_.throw_if_stopping();
  if (task_.wants_stop()) {
    if (pull) machine_.pulls.leave(*pull, task_.arn());
    end("");
    co_return false;
  }
  if (!*pull->result) {
    machine_.health.note_failure(pull->result->error(), machine_.clock.now());
    end(pull->result->error());
    co_return false;
  }
  const drivers::Pulled& pulled = **pull->result;
  record_.imageDigest = pulled.digest.empty() ? std::nullopt : std::optional(pulled.digest);
  record_.imageId = pulled.id.empty() ? std::nullopt : std::optional(pulled.id);
  task_.mark_pull_finished();
  co_return true;
}

// Waits for the task's GPUs and for the containers that this one depends on.
ContainerRunner::Step ContainerRunner::await_turn() {
  for (;;) {
    task_.throw_if_stopping();
    if (task_.wants_stop()) {
      co_await discard();
      end("");
      co_return false;
    }
    const base::Time now = machine_.clock.now();
    StartAnswer answer = may_start(task_.record(), index_, now);
    if (answer.readiness == Readiness::Never) {
      co_await discard();
      end("CannotStartContainerError: " + answer.reason);
      // Amazon stops the task here whether or not this container is essential.
      task_.stop(kFailedToStart);
      co_return false;
    }
    if (answer.readiness == Readiness::Ready && task_.gpus_granted()) co_return true;
    co_await machine_.changed.wait(wait_until(answer.until, now));
  }
}

// An agent that was killed may have requested the start, and the engine starts the container all the same, later. Its
// GPUs are free only once it is gone.
asio::awaitable<void> ContainerRunner::discard() {
  if (record_.id.empty()) co_return;
  co_await stop_and_remove(machine_, record_.id, base::Duration(0));
  task_.throw_if_stopping();
}

base::Result<drivers::ContainerSpec> ContainerRunner::make_spec() const {
  base::Result<shapes::agent::Container> overridden = with_overrides(definition_);
  if (!overridden) return base::Error{overridden.error()};
  shapes::agent::Container& container = *overridden;
  // Variables of the definition and of the launch take precedence over those of the files.
  container.environment.insert(file_variables_.begin(), file_variables_.end());
  if (machine_.environment) {
    for (const auto& [name, value] : machine_.environment(task_.record(), record_)) {
      container.environment.emplace(name, value);
    }
  }
  drivers::ContainerSpec spec;
  spec.task = task_.record().task;
  for (const GpuClaim& claim : task_.claims()) {
    const gpu::Gpu* gpu = claim.container == container.name ? machine_.ledger.find(claim.gpu) : nullptr;
    if (gpu && std::ranges::count(spec.gpus, gpu->id, &gpu::Gpu::id) == 0) spec.gpus.push_back(*gpu);
  }
  std::ranges::sort(spec.gpus, {}, &gpu::Gpu::index);
  spec.shares = gpu_shares();
  spec.all_gpus = spec.gpus.empty() && (machine_.gpu_default_runtime || container.privileged.value_or(false));
  spec.log_file = machine_.store.log_file(task_.arn(), container.name);
  spec.work_folder = machine_.store.work_folder(task_.arn());
  spec.container = std::move(container);
  return spec;
}

ContainerRunner::Step ContainerRunner::create() {
  base::Result<drivers::ContainerSpec> spec = make_spec();
  if (!spec) {
    end(spec.error());
    co_return false;
  }
  bool joined = co_await join_gpu_shares(*spec);
  task_.throw_if_stopping();
  if (!joined) co_return false;
  base::Result<std::string> id = co_await machine_.driver.create(std::move(*spec));
  task_.throw_if_stopping();
  if (!id) {
    machine_.health.note_failure(id.error(), machine_.clock.now());
    end(id.error());
    co_return false;
  }
  record_.id = *id;
  record_.createdAt = machine_.clock.now();
  file_variables_.clear();
  task_.changed();
  co_return true;
}

ContainerRunner::Step ContainerRunner::start() {
  const std::string id = record_.id;
  base::Result<drivers::Started> started = base::Error{""};
  std::string log_error;
  if (machine_.open_log && !start_requested_) {
    std::string error = co_await machine_.open_log(task_.record(), record_);
    log_error = std::move(error);
    task_.throw_if_stopping();
  }
  if (log_error.empty()) {
    start_requested_ = true;
    base::Result<drivers::Started> reply = co_await machine_.driver.start(id);
    started = std::move(reply);
  } else {
    started = base::Error{std::move(log_error)};
  }
  task_.throw_if_stopping();
  if (!started) {
    // Perhaps only the reply was lost. The container's GPUs are free only once it certainly does not run.
    co_await stop_and_remove(machine_, id, base::Duration(0));
    machine_.health.note_failure(started.error(), machine_.clock.now());
    end(started.error());
    co_return false;
  }
  mark_started(*started);
  co_return true;
}

void ContainerRunner::mark_started(const drivers::Started& started) {
  machine_.health.note_start();
  start_requested_ = may_start_late_ = false;
  record_.status = kRunning;
  record_.startedAt = started.at == base::Time() ? machine_.clock.now() : started.at;
  record_.address = started.address;
  record_.bindings.clear();
  for (const drivers::Binding& binding : started.bindings) {
    record_.bindings.push_back({.bindIP = binding.bind_ip,
                                .containerPort = binding.container_port,
                                .hostPort = binding.host_port,
                                .protocol = binding.protocol});
  }
  base::log_info("container started", {{"task", task_.arn()}, {"container", record_.name}, {"id", record_.id}});
  task_.changed();
}

asio::awaitable<void> ContainerRunner::await_exit() {
  if (record_.health && health_watcher_ == 0) health_watcher_ = task_.coroutines().spawn("health", watch_health());
  for (;;) {
    base::Result<drivers::Exit> exit = co_await machine_.driver.wait(record_.id);
    task_.throw_if_stopping();
    if (!exit) {
      end(kContainerGone);
      co_return;
    }
    if (task_.wants_stop() || !restarts_after(*exit)) {
      if (may_start_late_) co_await discard();
      end(*exit);
      co_return;
    }
    base::log_info("container exited and is restarted",
                   {{"task", task_.arn()}, {"container", record_.name}, {"exit_code", exit->code}});
    ++record_.restarts;
    bool started = co_await start();
    if (!started) co_return;
  }
}

bool ContainerRunner::restarts_after(const drivers::Exit& exit) const {
  const base::Time began = record_.startedAt.value_or(exit.at);
  return model::restarts(restart_policy(definition_), exit.code, exit.at - began);
}

asio::awaitable<void> ContainerRunner::watch_health() {
  while (record_.status != kStopped) {
    const std::string known = record_.health.value_or("UNKNOWN");
    base::Result<std::string> health = co_await machine_.driver.health(record_.id, known);
    task_.throw_if_stopping();
    if (!health) {
      co_await sleep_for(machine_.timing.retry);
    } else if (*health != known && record_.status != kStopped) {
      record_.health = *health;
      record_.healthSince = machine_.clock.now();
      task_.changed();
    }
  }
}

void ContainerRunner::end(const drivers::Exit& exit) {
  record_.exitCode = exit.code;
  record_.finishedAt = exit.at == base::Time() ? machine_.clock.now() : exit.at;
  if (exit.out_of_memory) {
    record_.reason = kOutOfMemory;
  } else if (!exit.error.empty()) {
    record_.reason = exit.error;
  }
  mark_ended();
}

// Without an exit code. `reason` is empty where the task's own reason is enough.
void ContainerRunner::end(const std::string& reason) {
  if (!reason.empty()) record_.reason = reason;
  record_.finishedAt = machine_.clock.now();
  mark_ended();
}

void ContainerRunner::mark_ended() {
  record_.status = kStopped;
  if (health_watcher_ != 0) task_.coroutines().cancel(health_watcher_);
  task_.coroutines().spawn("gpu shares", leave_gpu_shares());
  const std::string code = record_.exitCode ? std::to_string(*record_.exitCode) : "none";
  base::log_info("container ended", {{"task", task_.arn()},
                                     {"container", record_.name},
                                     {"exit_code", code},
                                     {"reason", record_.reason.value_or("")}});
  if (definition_.essential) task_.stop(record_.startedAt ? kEssentialExited : kFailedToStart);
  task_.changed();
}

asio::awaitable<void> ContainerRunner::stop() {
  const auto grace = definition_.stopTimeout;
  base::Duration timeout = grace ? std::chrono::seconds(*grace) : machine_.stop_timeout;
  if (machine_.longest_stop) timeout = std::min(timeout, *machine_.longest_stop);
  while (record_.status != kStopped) {
    task_.throw_if_stopping();
    if (record_.status == kPending || !may_stop(task_.record(), index_)) {
      co_await machine_.changed.wait(kLongestWait);
      continue;
    }
    base::Result<drivers::Nothing> stopped = co_await machine_.driver.stop(record_.id, timeout);
    task_.throw_if_stopping();
    if (!stopped) {
      base::log_error("container not stopped, retrying",
                      {{"task", task_.arn()}, {"container", record_.name}, {"error", stopped.error()}});
      co_await sleep_for(machine_.timing.retry);
    } else if (record_.status != kStopped) {
      co_await machine_.changed.wait(kStopAgain);  // await_exit() is about to see the exit
    }
  }
}

asio::awaitable<void> stop_and_remove(Machine& machine, std::string container_id, base::Duration grace) {
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
    base::log_error("container not removed, retrying", {{"id", container_id}, {"error", gone.error()}});
    co_await sleep_for(machine.timing.retry);
  }
}

}  // namespace agent
