// SPDX-License-Identifier: Apache-2.0
// One container of a task: reads its environment files, pulls its image, waits for its dependencies,
// creates it, starts it and waits for its exit. The record holds all progress and is saved after each
// step, so that the same code continues with a container that an earlier agent left running.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "agent/tasks/environment_file.h"
#include "agent/tasks/machine.h"

namespace agent {

class TaskRunner;

class ContainerRunner {
 public:
  // `record` outlives this object and keeps its list of containers.
  ContainerRunner(TaskRunner& task, TaskRecord& record, std::size_t index);
  ContainerRunner(const ContainerRunner&) = delete;

  // After a restart of the agent, before run(): updates the record with what the driver found. False:
  // `found` is not the container that the record describes.
  bool adopt(const drivers::Found& found);
  // After a restart of the agent: joins the MPS daemons of the shared GPUs again.
  boost::asio::awaitable<void> rejoin_gpu_shares();

  // Returns once the container has ended.
  boost::asio::awaitable<void> run();
  // Stops the container and returns once it has ended. Never gives up: what the container holds is
  // not free before.
  boost::asio::awaitable<void> stop();

 private:
  using Step = boost::asio::awaitable<bool>;  // false: the container has ended

  boost::asio::awaitable<void> advance();
  Step pull();
  Step await_turn();
  boost::asio::awaitable<void> discard();
  Step create();
  Step start();
  boost::asio::awaitable<void> await_exit();
  boost::asio::awaitable<void> watch_health();
  base::Result<drivers::ContainerSpec> make_spec() const;
  void mark_started(const drivers::Started& started);
  bool restarts_after(const drivers::Exit& exit) const;
  void end(const drivers::Exit& exit);
  void end(const std::string& reason);
  void mark_ended();

  // environment_download.cc
  Step read_environment_files();
  boost::asio::awaitable<base::Result<Variables>> read_environment_file(client::ObjectName name, base::Time give_up);
  boost::asio::awaitable<void> pause_unless_stopped(base::Duration pause) const;

  // gpu_sharing.cc
  Step join_gpu_shares(drivers::ContainerSpec& spec);
  boost::asio::awaitable<void> leave_gpu_shares();
  std::vector<shapes::agent::GpuShare> gpu_shares() const;
  std::string gpu_user() const;

  TaskRunner& task_;
  Machine& machine_;
  const std::size_t index_;
  const shapes::agent::Container& definition_;  // in the task's record, like record_
  ContainerRecord& record_;                     // written by this object and by acknowledged reports only
  bool start_requested_ = false;                // it may run although its record says PENDING
  bool may_start_late_ = false;                 // it has exited, and a killed agent may have requested its restart
  Variables file_variables_;                    // from its environment files, until it is created
  std::uint64_t health_watcher_ = 0;            // a coroutine; 0: none
};

// Returns once the container is stopped and removed, retrying until it is.
boost::asio::awaitable<void> stop_and_remove(Machine& machine, std::string container_id, base::Duration grace);

inline constexpr const char* kContainerGone =
    "the container no longer exists: something other than the agent removed it";

}  // namespace agent
