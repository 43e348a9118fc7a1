// SPDX-License-Identifier: Apache-2.0
// The shippers of all containers of this machine that have the log driver awslogs.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/awslogs/log_shipper.h"
#include "agent/tasks/machine.h"

namespace agent {

// A stopped task is reported when its lines are sent, or after this long.
inline constexpr base::Duration kFlushWithin = std::chrono::seconds(5);  // Fargate's

class LogShippers {
 public:
  LogShippers(http::IoThreads& io, Machine& machine, client::Profile profile);

  // Before a container starts: creates its stream. Returns why the container cannot start, or "".
  boost::asio::awaitable<std::string> open(const TaskRecord& record, const ContainerRecord& container);
  // After each change of a task: begins to send the logs of its containers, and notes their end.
  void update(const TaskRecord& record);
  void remove(const std::string& task_arn);

  // Returns when the lines of a stopped task are sent, but not later than kFlushWithin.
  boost::asio::awaitable<void> flush(std::string task_arn);
  bool has_unsent(const std::string& task_arn) const;
  // The server answers again.
  void retry_now();

  boost::asio::awaitable<void> end();

 private:
  struct Container {
    std::optional<logs::AwslogsOptions> options;  // none: another log driver
    // Shared with its coroutine, which may run until it sees that it was cancelled.
    std::shared_ptr<LogShipper> shipper;
    std::uint64_t coroutine = 0;
  };
  struct Task {
    std::optional<signing::Credentials> execution_role;
    std::vector<Container> containers;  // in the order of the record's
  };

  Task& task_of(const TaskRecord& record);
  LogCalls calls_for(const std::string& task_arn, const std::string& region);
  void begin(const TaskRecord& record, std::size_t index, Container& container);
  boost::asio::awaitable<void> run(std::shared_ptr<LogShipper> shipper);

  Machine& machine_;
  client::Profile profile_;
  http::Client http_;
  FileWatch watch_;
  Signal changed_;                     // of any shipper
  std::map<std::string, Task> tasks_;  // by ARN
  Coroutines coroutines_;
};

}  // namespace agent
