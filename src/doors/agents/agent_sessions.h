// SPDX-License-Identifier: Apache-2.0
// The server's side of the agent protocol: a session for each machine, over the WebSocket that its
// agent opened. First both sides are made to agree on what runs there; then tasks go out.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <map>
#include <memory>
#include <string>

#include "api/engine.h"
#include "base/guarded.h"
#include "doors/agents/external_objects.h"
#include "doors/agents/log_streams.h"
#include "http/server.h"
#include "services/ecs/tasks/agent_work.h"
#include "wire/frame.h"

namespace doors::agents {

class AgentSessions {
 public:
  AgentSessions(api::Engine& engine, LogStreams& logs, std::optional<ExternalObjects> objects)
      : engine_(engine), logs_(logs), objects_(std::move(objects)) {}

  // GET /ws, the work session or the telemetry session by its query.
  boost::asio::awaitable<http::Response> serve(http::Exchange& exchange, services::Caller caller);

  // Sends to a machine's agent. False where it has no session.
  bool send(const std::string& instance, std::string frame);

 private:
  struct Session;

  boost::asio::awaitable<services::ecs::Admitted> find_home(services::Caller caller, std::string cluster,
                                                            std::string instance);
  boost::asio::awaitable<void> work(http::Exchange& exchange, std::shared_ptr<Session> session);
  boost::asio::awaitable<void> greet(std::shared_ptr<Session> session);
  boost::asio::awaitable<void> read_all(std::shared_ptr<Session> session);
  boost::asio::awaitable<void> take(std::shared_ptr<Session> session, std::string text);
  boost::asio::awaitable<void> take(std::shared_ptr<Session> session, wire::Frame frame);
  boost::asio::awaitable<void> acknowledge(std::shared_ptr<Session> session, std::string message_id);
  boost::asio::awaitable<void> push_all(std::shared_ptr<Session> session);
  boost::asio::awaitable<void> push(std::shared_ptr<Session> session);
  void send_payload(Session& session, std::vector<shapes::agent::Task> tasks);
  boost::asio::awaitable<void> renew(std::shared_ptr<Session> session);
  boost::asio::awaitable<void> leave(std::shared_ptr<Session> session);
  boost::asio::awaitable<bool> note_gone(std::shared_ptr<Session> session);
  bool found_again(const std::string& instance);
  boost::asio::awaitable<void> telemetry(std::shared_ptr<Session> session);
  boost::asio::awaitable<void> take_telemetry(std::shared_ptr<Session> session, std::string text);

  api::Engine& engine_;
  LogStreams& logs_;
  const std::optional<ExternalObjects> objects_;
  base::Guarded<std::map<std::string, std::shared_ptr<Session>>> sessions_;  // by instance
};

}  // namespace doors::agents
