// SPDX-License-Identifier: Apache-2.0
// All tasks of this machine: accepts them, adopts them after a restart, and deletes them some time after
// they have stopped.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/tasks/reports.h"
#include "agent/tasks/task_runner.h"
#include "shapes/agent/work.h"

namespace agent {

class TaskRegistry {
 public:
  TaskRegistry(Machine& machine, Submit submit, base::Duration keep_stopped)
      : machine_(machine), submit_(std::move(submit)), keep_stopped_(keep_stopped), orphans_(machine.executor) {}

  // Call first. Continues the tasks on disk with the containers that the driver still has, and stops
  // and removes containers that no task file names. No container is started before those have ended,
  // because they may hold GPUs.
  boost::asio::awaitable<void> adopt();

  // The task is on disk when this returns, so it may be acknowledged. For a known task only a desired
  // status of STOPPED has an effect. Throws std::runtime_error where the task cannot be stored.
  void accept(shapes::agent::Task task);
  // Reports a task that the server expects here, but that this machine does not have, as STOPPED.
  void accept_lost(const std::string& arn, const std::string& cluster_arn, const std::string& reason);
  void set_credentials(const shapes::agent::IAMRoleCredentialsMessage& message);
  void stop(const std::string& arn, const std::string& reason);
  // For a task whose end the server acknowledged and has lost since.
  void report_again(const std::string& arn);

  const TaskRunner* find(const std::string& arn) const;
  bool knows(const std::string& arn) const { return find(arn) != nullptr; }
  // Ordered by ARN.
  std::vector<const TaskRunner*> all() const;
  // The tasks that have not ended.
  std::vector<shapes::agent::TaskIdentifier> running() const;

  // Returns once all tasks have ended.
  boost::asio::awaitable<void> stop_all(std::string reason);
  // Stops all tasks, and from now on rejects new ones: they are reported as STOPPED with this reason.
  void close(const std::string& reason);
  // Returns once all tasks have ended, and once the server has acknowledged that; false: not within this time.
  boost::asio::awaitable<bool> all_ended(base::Duration within);
  boost::asio::awaitable<bool> all_reported(base::Duration within);
  // After the end of all tasks: removes the containers, networks and volumes of all tasks. False: some remain, and are logged.
  boost::asio::awaitable<bool> remove_containers();

  // Deletes stopped tasks when they are due. Never returns.
  boost::asio::awaitable<void> sweep();

  // The agent is stopping: ends all coroutines. Containers continue.
  boost::asio::awaitable<void> detach();

 private:
  TaskRunner& add(TaskRecord record);
  void begin(TaskRunner& runner);
  boost::asio::awaitable<std::vector<drivers::Found>> list();
  boost::asio::awaitable<void> remove_orphan(drivers::Found orphan);
  boost::asio::awaitable<void> remove(std::string arn, const std::vector<drivers::Found>& found);
  std::vector<std::string> due() const;
  bool may_delete(const TaskRecord& record) const;

  Machine& machine_;
  const Submit submit_;
  const base::Duration keep_stopped_;
  std::string closed_;  // why no task is accepted any more; "": tasks are accepted
  std::map<std::string, std::unique_ptr<TaskRunner>> runners_;  // by ARN; only remove() erases
  Coroutines orphans_;                                          // remove containers of unknown tasks
};

}  // namespace agent
