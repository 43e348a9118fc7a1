// SPDX-License-Identifier: Apache-2.0
// One task, from its payload to its end: one coroutine for the task, and a ContainerRunner for each
// container. The record holds all progress and is saved at each step, so that the same code continues
// with a task that an earlier agent left running.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/tasks/container_runner.h"
#include "agent/tasks/machine.h"

namespace agent {

class TaskRunner {
 public:
  TaskRunner(Machine& machine, TaskRecord record);

  // Before start(), after a restart of the agent: adopts the task's containers among those that the
  // driver found, and claims the GPUs that they hold. Returns the containers that the record does not
  // describe.
  std::vector<drivers::Found> adopt(std::vector<drivers::Found> found);
  void start();

  // Sets the desired status to STOPPED. The first reason is kept; later calls change nothing.
  void stop(const std::string& reason);
  // Changes anything in the record but the statuses: credentials, acknowledged reports.
  void update(const std::function<void(TaskRecord&)>& change);

  const TaskRecord& record() const { return record_; }
  const std::string& arn() const { return record_.task.arn; }
  bool has_ended() const { return known_status(record_) == kStopped; }
  // Empty once the task may be destroyed.
  Coroutines& coroutines() { return coroutines_; }

  // For the task's containers.
  Machine& machine() { return machine_; }
  const std::vector<GpuClaim>& claims() const { return claims_; }
  bool gpus_granted() const { return gpus_granted_; }
  bool wants_stop() const { return record_.desired == kStopped; }
  void mark_pull_started();
  void mark_pull_finished();
  // Saves the record and wakes everything that waits for a change.
  void changed();
  // Stops a task that cannot start.
  void fail(const std::string& reason);
  // Called after each reply of a driver: a wait that the agent's end interrupted must not be mistaken
  // for a container's exit.
  void throw_if_stopping() const;

 private:
  boost::asio::awaitable<void> run();
  boost::asio::awaitable<void> take_gpus();
  bool adopt_one(const drivers::Found& found);

  Machine& machine_;
  TaskRecord record_;
  const std::vector<GpuClaim> claims_;
  bool gpus_granted_ = false;
  std::vector<std::unique_ptr<ContainerRunner>> containers_;  // in the order of the record's
  Coroutines coroutines_;
};

}  // namespace agent
