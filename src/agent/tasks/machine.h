// SPDX-License-Identifier: Apache-2.0
// What all tasks of this machine have in common. One thread: nothing here has a lock.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <map>
#include <string>

#include "agent/coroutines.h"
#include "agent/drivers/driver.h"
#include "agent/gpu/mps.h"
#include "agent/signal.h"
#include "agent/tasks/ledger.h"
#include "agent/tasks/pulls.h"
#include "agent/tasks/task_store.h"
#include "base/time.h"
#include "client/objects.h"

namespace agent {

// Waits that tests make short.
struct Timing {
  PullTiming pull = {};
  base::Duration retry = std::chrono::seconds(1);        // after a driver's failure
  base::Duration retry_longest = std::chrono::seconds(10);  // and after a server's, at most
};

struct Machine {
  Machine(boost::asio::any_io_executor on, drivers::Driver& by, TaskStore& tasks, base::Clock& time, Timing waits)
      : executor(on), driver(by), store(tasks), clock(time), timing(waits), pulls(on, by, changed, waits.pull) {}

  boost::asio::any_io_executor executor;
  drivers::Driver& driver;
  TaskStore& store;
  base::Clock& clock;
  const Timing timing;
  Signal changed;  // anything, of any task: they are few, and each looks for itself
  Ledger ledger;
  Pulls pulls;
  bool gpu_default_runtime = false;
  gpu::Mps* mps = nullptr;  // by which real GPUs are shared; simulated ones need none
  // What this machine adds to a container's environment, where the container does not set it.
  std::function<std::map<std::string, std::string>(const TaskRecord&, const ContainerRecord&)> environment;
  // An object that a task names, from where that task's objects are.
  std::function<boost::asio::awaitable<client::ObjectRead>(const TaskRecord&, client::ObjectName)> read_object;
  // Told of each change of a task, and of its end here.
  std::function<void(const TaskRecord&)> on_change;
  std::function<void(const TaskRecord&)> on_forget;
  // The agent ends. What a driver answers from now on may only mean that it was interrupted.
  bool stopping = false;
};

}  // namespace agent
