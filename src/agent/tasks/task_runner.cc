// SPDX-License-Identifier: Apache-2.0
#include "agent/tasks/task_runner.h"

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include "base/log.h"

namespace agent {
namespace asio = boost::asio;

TaskRunner::TaskRunner(Machine& machine, TaskRecord record)
    : machine_(machine), record_(std::move(record)), claims_(claims_of(record_.task)), coroutines_(machine.executor) {
  for (std::size_t i = 0; i < record_.containers.size(); ++i) {
    containers_.push_back(std::make_unique<ContainerRunner>(*this, record_, i));
  }
}

bool TaskRunner::adopt_one(const drivers::Found& found) {
  const auto named = std::ranges::find(record_.containers, found.container, &ContainerRecord::name);
  if (named == record_.containers.end()) return false;
  return containers_[static_cast<std::size_t>(named - record_.containers.begin())]->adopt(found);
}

std::vector<drivers::Found> TaskRunner::adopt(std::vector<drivers::Found> found) {
  std::vector<drivers::Found> strays;
  for (drivers::Found& one : found) {
    if (!adopt_one(one)) strays.push_back(std::move(one));
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
  for (const auto& container : containers_) coroutines_.spawn("gpu shares", container->rejoin_gpu_shares());
  coroutines_.spawn("task", run());
}

asio::awaitable<void> TaskRunner::run() {
  for (const auto& container : containers_) {
    coroutines_.spawn("container", container->run());
    if (wants_stop()) coroutines_.spawn("stop", container->stop());
  }
  co_await take_gpus();
  while (!has_ended()) {
    co_await machine_.changed.wait(kLongestWait);
  }
  throw_if_stopping();
  // Not earlier: as long as one container runs, its kernels may run too.
  machine_.ledger.release(arn());
  record_.executionStoppedAt = machine_.clock.now();
  base::log_info("task stopped", {{"task", arn()}, {"reason", record_.reason}});
  changed();
  const std::string task = arn();
  co_await machine_.driver.end_task(task);
}

asio::awaitable<void> TaskRunner::take_gpus() {
  std::string waits_for;
  while (!gpus_granted_ && !wants_stop()) {
    GrantAnswer answer = machine_.ledger.grant(arn(), claims_);
    if (answer.grant == Grant::Granted) {
      gpus_granted_ = true;
      machine_.changed.notify();
    } else if (answer.grant == Grant::Never) {
      fail(answer.reason);
    } else {
      if (answer.reason != waits_for) {
        base::log_info("task is waiting for a gpu", {{"task", arn()}, {"reason", answer.reason}});
      }
      waits_for = answer.reason;
      co_await machine_.changed.wait(kLongestWait);
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
  for (const auto& container : containers_) coroutines_.spawn("stop", container->stop());
  changed();
}

void TaskRunner::update(const std::function<void(TaskRecord&)>& change) {
  change(record_);
  changed();
}

void TaskRunner::mark_pull_started() {
  if (!record_.pullStartedAt) record_.pullStartedAt = machine_.clock.now();
}

void TaskRunner::mark_pull_finished() { record_.pullStoppedAt = machine_.clock.now(); }

// A failure to save does not end the task: after a restart the driver still shows its containers.
void TaskRunner::changed() {
  try {
    machine_.store.save(record_);
  } catch (const std::exception& error) {
    base::log_error("task record not saved", {{"task", arn()}, {"error", error.what()}});
  }
  if (machine_.on_change) machine_.on_change(record_);
  machine_.changed.notify();
}

void TaskRunner::throw_if_stopping() const {
  if (machine_.stopping) throw boost::system::system_error(asio::error::operation_aborted);
}

}  // namespace agent
