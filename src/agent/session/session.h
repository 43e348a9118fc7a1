// SPDX-License-Identifier: Apache-2.0
// The work session: the connection on which the server sends this machine its tasks.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/coroutines.h"
#include "agent/exec/exec_sessions.h"
#include "agent/session/log_streams.h"
#include "agent/session/socket.h"
#include "agent/tasks/task_registry.h"

namespace agent {

// The identity of this machine and the address of the server.
struct SessionSettings {
  client::Profile profile;
  std::string url;
  std::string cluster;
  std::string container_instance_arn;
  std::string machine_name;
  std::string agent_version;
  std::string docker_version;
};

std::map<std::string, std::string> session_query(const SessionSettings& settings);
shapes::agent::StokerGpus gpus_message(const std::vector<gpu::Gpu>& gpus);

class Session {
 public:
  Session(Machine& machine, TaskRegistry& tasks, LogStreams& logs, ExecSessions& commands)
      : machine_(machine), tasks_(tasks), logs_(logs), commands_(commands), coroutines_(machine.executor) {}

  // Connects and serves the connection until it ends. Throws wire::ApiError for an error that the server
  // sent, std::runtime_error where the connection failed.
  boost::asio::awaitable<void> run(SessionSettings settings);

  // Null while disconnected.
  const std::shared_ptr<http::WebSocket>& socket() const { return socket_; }
  Coroutines& coroutines() { return coroutines_; }

 private:
  boost::asio::awaitable<void> read(const SessionSettings& settings);
  void end();
  void handle(const SessionSettings& settings, const wire::Frame& frame);
  void on_payload(const SessionSettings& settings, const shapes::agent::PayloadMessage& message);
  void on_credentials(const shapes::agent::IAMRoleCredentialsMessage& message);
  void on_manifest(const SessionSettings& settings, const shapes::agent::TaskManifestMessage& message);
  void on_exec(const SessionSettings& settings, shapes::agent::StokerExecMessage message);
  void on_stop_verification(const shapes::agent::TaskStopVerificationAck& message);
  boost::asio::awaitable<void> report_lost(std::vector<shapes::agent::TaskIdentifier> lost, std::string machine_name);
  void acknowledge(const std::string& message_id, const SessionSettings& settings);

  Machine& machine_;
  TaskRegistry& tasks_;
  LogStreams& logs_;
  ExecSessions& commands_;
  std::shared_ptr<http::WebSocket> socket_;  // shared with log streams and other senders
  std::uint64_t lost_reporter_ = 0;          // a coroutine; 0: none
  Coroutines coroutines_;
};

}  // namespace agent
