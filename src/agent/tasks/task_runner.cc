// SPDX-License-Identifier: Apache-2.0
#include "agent/tasks/task_runner.h"

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include "base/log.h"

namespace agent {
namespace asio = boost::asio;

TaskRunner::TaskRunner(Machine& machine, TaskRecord record)
    : machine_(machine), record_(std::move(record)), claims_(claims_of(record_.task)),
      begun_(record_.containers.size(), false), file_variables_(record_.containers.size()),
      health_watchers_(record_.containers.size(), 0), coroutines_(machine.executor) {}

bool TaskRunner::recognize(const drivers::Found& one) {
  const auto found = std::ranges::find(record_.containers, one.container, &ContainerRecord::name);
  if (found == record_.containers.end()) return false;
  ContainerRecord& container = *found;
  if (container.status == kStopped) return container.id == one.id && one.phase != drivers::Phase::Running;
  // Made, but the agent ended before it could write that down.
  if (container.id.empty()) container.id = one.id;
  if (container.id != one.id) return false;
  if (container.status != kPending) return true;
  // Started, but not written down. One that has ended must not be run a second time.
  begun_[static_cast<std::size_t>(found - record_.containers.begin())] = one.phase == drivers::Phase::Running;
  if (one.phase == drivers::Phase::Exited) {
    container.status = kRunning;
    container.startedAt = container.createdAt.value_or(machine_.clock.now());
  }
  return true;
}

std::vector<drivers::Found> TaskRunner::adopt(std::vector<drivers::Found> found) {
  std::vector<drivers::Found> strays;
  for (drivers::Found& one : found) {
    if (!recognize(one)) strays.push_back(std::move(one));
  }
  const bool holds = std::ranges::any_of(record_.containers, [](const ContainerRecord& container) {
    return !container.id.empty() && container.status != kStopped;
  });
  if (holds) machine_.ledger.adopt(arn(), claims_);
  gpus_granted_ = holds;
  return strays;
}

void TaskRunner::start() {
  if (machine_.on_change) machine_.on_change(record_);
  if (has_ended()) {
    if (!record_.executionStoppedAt) record_.executionStoppedAt = machine_.clock.now();
    return;
  }
  for (std::size_t i = 0; i < record_.containers.size(); ++i) coroutines_.spawn("shares", join_shares_again(i));
  coroutines_.spawn("task", run());
}

asio::awaitable<void> TaskRunner::run() {
  for (std::size_t i = 0; i < record_.containers.size(); ++i) {
    coroutines_.spawn("container", run_container(i));
    if (wants_stop()) coroutines_.spawn("stop", stop_container(i));
  }
  co_await take_gpus();
  while (!has_ended()) {
    co_await machine_.changed.wait(kLookAgain);
  }
  check_alive();
  // Only now: as long as one container runs, so may its kernels.
  machine_.ledger.release(arn());
  record_.executionStoppedAt = machine_.clock.now();
  base::log_info("task stopped", {{"task", arn()}, {"reason", record_.reason}});
  changed();
}

asio::awaitable<void> TaskRunner::take_gpus() {
  std::string waits_for;
  while (!gpus_granted_ && !wants_stop()) {
    GrantAnswer answer = machine_.ledger.grant(arn(), claims_);
    if (answer.grant == Grant::Given) {
      gpus_granted_ = true;
      machine_.changed.notify();
    } else if (answer.grant == Grant::Never) {
      fail(answer.reason);
    } else {
      if (answer.reason != waits_for) base::log_info("task waits", {{"task", arn()}, {"why", answer.reason}});
      waits_for = answer.reason;
      co_await machine_.changed.wait(kLookAgain);
    }
  }
}

void TaskRunner::fail(const std::string& reason) {
  base::log_warn("task failed", {{"task", arn()}, {"reason", reason}});
  stop(reason);
}

void TaskRunner::stop(const std::string& reason) {
  if (wants_stop()) return;
  record_.desired = kStopped;
  record_.reason = reason;
  for (std::size_t i = 0; i < record_.containers.size(); ++i) coroutines_.spawn("stop", stop_container(i));
  changed();
}

void TaskRunner::update(const std::function<void(TaskRecord&)>& change) {
  change(record_);
  changed();
}

// What is not on disk is found out again after a restart, from the driver: going on is better than
// losing sight of a container.
void TaskRunner::changed() {
  try {
    machine_.store.save(record_);
  } catch (const std::exception& error) {
    base::log_error("task not saved", {{"task", arn()}, {"error", error.what()}});
  }
  if (machine_.on_change) machine_.on_change(record_);
  machine_.changed.notify();
}

// After each answer of a driver: an interrupted wait must not be taken for a container's end.
void TaskRunner::check_alive() const {
  if (machine_.stopping) throw boost::system::system_error(asio::error::operation_aborted);
}

}  // namespace agent
