// SPDX-License-Identifier: Apache-2.0
// One task on its way from a payload to its end: one coroutine for it, one for each container. All
// that they know is in the record, which is saved at each step, so that the same code goes on with
// a task that it finds when the agent comes back.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/tasks/environment_file.h"
#include "agent/tasks/machine.h"

namespace agent {

class TaskRunner {
 public:
  TaskRunner(Machine& machine, TaskRecord record);

  // Before start(), after a restart of the agent: takes note of what the driver has of this task, and
  // holds its GPUs. Answers those that are not the containers that the record speaks of.
  std::vector<drivers::Found> adopt(std::vector<drivers::Found> found);
  void start();

  // Desired STOPPED; the first reason stays. Nothing if it is already.
  void stop(const std::string& reason);
  // New credentials, an acknowledged report: anything but the statuses.
  void update(const std::function<void(TaskRecord&)>& change);

  const TaskRecord& record() const { return record_; }
  const std::string& arn() const { return record_.task.arn; }
  bool has_ended() const { return known_status(record_) == kStopped; }
  // Everything of it has returned, so that it may be destroyed.
  Coroutines& coroutines() { return coroutines_; }

 private:
  using Step = boost::asio::awaitable<bool>;  // false: the container has ended, and says why

  boost::asio::awaitable<void> run();
  boost::asio::awaitable<void> take_gpus();
  bool recognize(const drivers::Found& one);
  void fail(const std::string& reason);

  // container_runner.cc
  boost::asio::awaitable<void> run_container(std::size_t index);
  boost::asio::awaitable<void> advance(std::size_t index);
  Step pull(std::size_t index);
  Step await_turn(std::size_t index);
  Step create(std::size_t index);
  Step start(std::size_t index);
  boost::asio::awaitable<void> await_exit(std::size_t index);
  boost::asio::awaitable<void> watch_health(std::size_t index);
  boost::asio::awaitable<void> stop_container(std::size_t index);
  base::Result<drivers::ContainerSpec> spec_of(std::size_t index) const;
  void mark_started(std::size_t index, const drivers::Started& started);
  bool restarts(std::size_t index, const drivers::Exit& exit) const;
  void end(std::size_t index, const drivers::Exit& exit);
  void end(std::size_t index, const std::string& reason);
  void on_container_end(std::size_t index);

  // environment_files.cc
  Step read_files(std::size_t index);
  boost::asio::awaitable<base::Result<Variables>> read_file(client::ObjectName name, base::Time give_up);
  boost::asio::awaitable<void> pause_unless_stopped(base::Duration pause) const;

  // gpu_sharing.cc
  Step join_shares(std::size_t index, drivers::ContainerSpec& spec);
  boost::asio::awaitable<void> join_shares_again(std::size_t index);
  boost::asio::awaitable<void> leave_shares(std::size_t index);
  std::vector<shapes::agent::GpuShare> shares_of(std::size_t index) const;

  bool wants_stop() const { return record_.desired == kStopped; }
  void changed();
  void check_alive() const;

  Machine& machine_;
  TaskRecord record_;
  const std::vector<GpuClaim> claims_;
  bool gpus_granted_ = false;
  std::vector<bool> begun_;                     // by container: it may run, though its record does not say so
  std::vector<Variables> file_variables_;       // by container, from its environment files until it is made
  std::vector<std::uint64_t> health_watchers_;  // by container; 0: none
  Coroutines coroutines_;
};

// Returns once it does not run and never will: it is tried again until then.
boost::asio::awaitable<void> end_for_good(Machine& machine, std::string container_id, base::Duration grace);

inline constexpr const char* kGone = "the container was gone when the agent came back";

}  // namespace agent
