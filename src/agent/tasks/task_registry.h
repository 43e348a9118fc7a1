// SPDX-License-Identifier: Apache-2.0
// All tasks of this machine: takes them on, finds them again after a restart, forgets them when
// their time is over.
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

  // First of all: goes on with what the driver still has, and ends what no task file knows.
  // Returns once no container runs that nobody asked for; before that no other is started, as it is
  // not known what those hold.
  boost::asio::awaitable<void> adopt();

  // On disk when it returns, so that it may be acknowledged. One that is known already only
  // learns that it is to stop. Throws std::runtime_error where it can't be kept.
  void take(shapes::agent::Task task);
  // One that the server believes to be here and that is not: STOPPED, with that reason.
  void take_lost(const std::string& arn, const std::string& cluster_arn, const std::string& reason);
  void set_credentials(const shapes::agent::IAMRoleCredentialsMessage& message);
  void stop(const std::string& arn, const std::string& reason);
  // The server asks for a task whose end it has acknowledged: it has lost that.
  void report_again(const std::string& arn);

  const TaskRunner* find(const std::string& arn) const;
  bool knows(const std::string& arn) const { return find(arn) != nullptr; }
  // All, in the order of their ARNs.
  std::vector<const TaskRunner*> all() const;
  // Those that have not ended.
  std::vector<shapes::agent::TaskIdentifier> running() const;

  // Stops them all and returns once they have ended.
  boost::asio::awaitable<void> stop_all(std::string reason);

  // Forgets what is due, again and again.
  boost::asio::awaitable<void> sweep();

  // The agent ends: nothing of ours runs any more when it returns; containers do.
  boost::asio::awaitable<void> let_go();

 private:
  TaskRunner& keep(TaskRecord record);
  void begin(TaskRunner& runner);
  boost::asio::awaitable<std::vector<drivers::Found>> list();
  boost::asio::awaitable<void> end_orphan(drivers::Found orphan);
  boost::asio::awaitable<void> forget(std::string arn, const std::vector<drivers::Found>& found);
  std::vector<std::string> due() const;

  Machine& machine_;
  const Submit submit_;
  const base::Duration keep_stopped_;
  std::map<std::string, std::unique_ptr<TaskRunner>> runners_;  // by ARN; only forget() takes any away
  Coroutines orphans_;  // that are being ended
};

}  // namespace agent
