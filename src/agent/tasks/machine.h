// SPDX-License-Identifier: Apache-2.0
// What all tasks of this machine share. Used on one thread only, so nothing here has a lock.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include "agent/coroutines.h"
#include "agent/drivers/driver.h"
#include "agent/gpu/mps.h"
#include "agent/signal.h"
#include "agent/tasks/ledger.h"
#include "agent/tasks/machine_health.h"
#include "agent/tasks/pulls.h"
#include "agent/tasks/task_store.h"
#include "base/time.h"
#include "client/objects.h"

namespace agent {

// Pauses, which tests shorten.
struct Timing {
  PullTiming pull = {};
  base::Duration retry = std::chrono::seconds(1);           // after a failure of the driver
  base::Duration retry_longest = std::chrono::seconds(10);  // the longest after failures of the server
};

struct Machine {
  Machine(boost::asio::any_io_executor on, drivers::Driver& by, TaskStore& tasks, base::Clock& time, Timing waits)
      : executor(on), driver(by), store(tasks), clock(time), timing(waits), pulls(on, by, changed, time, waits.pull) {}

  boost::asio::any_io_executor executor;
  drivers::Driver& driver;
  TaskStore& store;
  base::Clock& clock;
  const Timing timing;
  Signal changed;  // of any task: tasks are few, and each waiter checks its own condition
  Ledger ledger;
  MachineHealth health;
  Pulls pulls;
  bool gpu_default_runtime = false;
  base::Duration stop_timeout = std::chrono::seconds(30);  // of containers without their own; ECS's default
  // The machine shuts down: no container gets more time to stop.
  std::optional<base::Duration> longest_stop = {};
  std::int64_t max_log_bytes = std::numeric_limits<std::int64_t>::max();  // of stopped tasks
  gpu::Mps* mps = nullptr;  // shares real GPUs; null for simulated ones
  // Variables that this machine adds to a container's environment. The container's own take precedence.
  std::function<std::map<std::string, std::string>(const TaskRecord&, const ContainerRecord&)> environment;
  // Reads an object that a task names, from the object store of that task.
  std::function<boost::asio::awaitable<client::ObjectRead>(const TaskRecord&, client::ObjectName)> read_object;
  // Before a container starts: prepares its log driver. Returns why the container cannot start, or "".
  std::function<boost::asio::awaitable<std::string>(const TaskRecord&, const ContainerRecord&)> open_log;
  // After a task's end: returns when the log driver has sent its output, or after a bounded time.
  std::function<boost::asio::awaitable<void>(std::string arn)> flush_logs;
  // Some of a stopped task's output is not sent yet.
  std::function<bool(const std::string& arn)> has_unsent_logs;
  // Called after each change of a task, and when the task is deleted from this machine.
  std::function<void(const TaskRecord&)> on_change;
  std::function<void(const TaskRecord&)> on_remove;
  // The agent is stopping. A reply of a driver may from now on only mean that its wait was interrupted.
  bool stopping = false;
};

}  // namespace agent
