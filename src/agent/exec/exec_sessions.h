// SPDX-License-Identifier: Apache-2.0
// Commands that the server runs in containers of this machine. Each has a connection of its own to the server, which the
// agent opens: its input and output pass through it, and the command ends with it.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <map>
#include <memory>
#include <string>

#include "agent/coroutines.h"
#include "agent/session/socket.h"
#include "agent/tasks/task_registry.h"
#include "shapes/agent/extensions.h"

namespace agent {

inline constexpr std::size_t kMaxExecSessions = 64;  // on this machine

// The server, and how the agent signs.
struct ExecServer {
  client::Profile profile;
  std::string url;
};

class ExecSessions {
 public:
  ExecSessions(Machine& machine, const TaskRegistry& tasks)
      : machine_(machine), tasks_(tasks), coroutines_(machine.executor) {}

  // Returns at once. A request that can't be served is answered on its connection.
  void begin(shapes::agent::StokerExecMessage request, ExecServer server);
  // The same as the message to hang up on its connection, where that may be stuck behind input.
  void end(const std::string& session);

  Coroutines& coroutines() { return coroutines_; }

 private:
  struct Live;  // a command and its connection

  boost::asio::awaitable<void> run(shapes::agent::StokerExecMessage request, ExecServer server);
  boost::asio::awaitable<drivers::ExecEnd> run_command(std::shared_ptr<Live> live,
                                                       const shapes::agent::StokerExecMessage& request);
  boost::asio::awaitable<void> serve(std::shared_ptr<Live> live, const shapes::agent::StokerExecMessage& request);
  boost::asio::awaitable<base::Result<std::unique_ptr<drivers::ExecStream>>> open(
      const shapes::agent::StokerExecMessage& request);
  static boost::asio::awaitable<void> lose_client(std::shared_ptr<Live> live);
  static boost::asio::awaitable<void> read_input(std::shared_ptr<Live> live);
  static boost::asio::awaitable<void> write_input(std::shared_ptr<Live> live);
  static boost::asio::awaitable<void> keep_alive(std::shared_ptr<Live> live);
  static boost::asio::awaitable<void> send_output(std::shared_ptr<Live> live);

  Machine& machine_;
  const TaskRegistry& tasks_;
  std::map<std::string, std::shared_ptr<Live>> running_;  // by id of the session; shared with its coroutines
  std::size_t admitted_ = 0;       // of them, within the limit
  Coroutines coroutines_;
};

}  // namespace agent
