// SPDX-License-Identifier: Apache-2.0
// Streams the logs of containers to the server, on request.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <map>
#include <memory>
#include <string>

#include "agent/coroutines.h"
#include "agent/tasks/task_registry.h"
#include "http/websocket.h"
#include "shapes/agent/extensions.h"

namespace agent {

inline constexpr std::size_t kMaxLogStreams = 64;  // at the same time

class LogStreams {
 public:
  LogStreams(Machine& machine, TaskRegistry& tasks) : machine_(machine), tasks_(tasks), coroutines_(machine.executor) {}

  void begin(shapes::agent::StokerReadLogs request, std::shared_ptr<http::WebSocket> socket);
  void end(const std::string& request_id);
  // For when the connection has ended.
  void end_all();

  Coroutines& coroutines() { return coroutines_; }

 private:
  boost::asio::awaitable<void> run(shapes::agent::StokerReadLogs request, std::shared_ptr<http::WebSocket> socket);
  boost::asio::awaitable<void> copy(shapes::agent::StokerReadLogs request, std::shared_ptr<http::WebSocket> socket);
  void forget(const std::string& request_id);
  boost::asio::awaitable<void> watch_files();
  boost::asio::awaitable<void> watch_tasks();
  void start_watching();
  void watch(const std::string& log_file);
  bool has_ended(const shapes::agent::StokerReadLogs& request) const;

  Machine& machine_;
  TaskRegistry& tasks_;
  std::map<std::string, std::uint64_t> running_;  // coroutines by request id
  Signal news_;                                   // a log grew, or a task changed
  // inotify on the folders of the logs that are read; null where the kernel has no more watches.
  std::unique_ptr<boost::asio::posix::stream_descriptor> files_;
  std::uint64_t tasks_watcher_ = 0;  // a coroutine while any log is read; 0: none
  Coroutines coroutines_;
};

}  // namespace agent
