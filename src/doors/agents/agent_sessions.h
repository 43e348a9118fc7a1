// SPDX-License-Identifier: Apache-2.0
// The server's side of the agent protocol: a session for each machine, over the WebSocket that its agent opened.
// First both sides agree on the tasks that run there; then new tasks are sent.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "api/authenticate.h"
#include "api/engine.h"
#include "base/guarded.h"
#include "doors/agents/external_objects.h"
#include "doors/agents/log_streams.h"
#include "doors/agents/session_state.h"
#include "http/server.h"
#include "services/ecs/tasks/agent_work.h"
#include "wire/frame.h"

namespace doors::agents {

class AgentSessions {
 public:
  // All of these outlive it.
  AgentSessions(api::Engine& engine, api::Authenticator& authenticator, LogStreams& logs,
                std::optional<ExternalObjects> objects, const SessionTimes& times = {})
      : engine_(engine), authenticator_(authenticator), logs_(logs), objects_(std::move(objects)), times_(times) {}

  // Called when a machine's last session is over. Set it before the first session.
  void when_left(std::function<void(const model::InstanceId&)> notify) { left_ = std::move(notify); }

  // GET /ws: the work session or the telemetry session, depending on the query.
  boost::asio::awaitable<http::Response> serve(http::Exchange& exchange, services::Caller caller);

  // Sends to a machine's agent. False where it has no session.
  bool send(const model::InstanceId& instance, std::string frame);

 private:
  struct Session;
  using SessionPtr = std::shared_ptr<Session>;  // shared by the coroutines that read and write, and the map

  boost::asio::awaitable<services::ecs::Admitted> find_home(services::Caller caller, std::string cluster,
                                                            std::string instance,
                                                            services::ecs::AgentVersions versions);

  boost::asio::awaitable<void> work(http::Exchange& exchange, SessionPtr session);
  boost::asio::awaitable<void> send_manifest(SessionPtr session);
  boost::asio::awaitable<void> read_all(SessionPtr session);
  boost::asio::awaitable<void> handle_text(SessionPtr session, std::string text);
  boost::asio::awaitable<void> handle(SessionPtr session, wire::Frame frame);
  boost::asio::awaitable<void> verify_stops(SessionPtr session, wire::Frame frame);
  boost::asio::awaitable<void> acknowledge(SessionPtr session, std::string message_id);
  // Whoever waits for one of these tasks.
  void wake(const std::vector<model::TaskId>& tasks);

  boost::asio::awaitable<void> push_until_over(SessionPtr session);
  boost::asio::awaitable<void> push(SessionPtr session);
  boost::asio::awaitable<services::ecs::Work> find_work(SessionPtr session);
  void send_payload(Session& session, std::vector<shapes::agent::Task> tasks);
  boost::asio::awaitable<void> renew_credentials(SessionPtr session);

  boost::asio::awaitable<void> leave(SessionPtr session);
  boost::asio::awaitable<bool> mark_disconnected(SessionPtr session);
  bool has_session(const model::InstanceId& instance);

  boost::asio::awaitable<void> telemetry(SessionPtr session);
  boost::asio::awaitable<void> read_telemetry(SessionPtr session);
  void set_pace(Session& session);
  boost::asio::awaitable<std::string> verified_json(SessionPtr session, std::string text);
  boost::asio::awaitable<void> handle_telemetry(SessionPtr session, std::string text);
  boost::asio::awaitable<void> publish(SessionPtr session, wire::Frame frame);

  api::Engine& engine_;
  api::Authenticator& authenticator_;
  LogStreams& logs_;
  const std::optional<ExternalObjects> objects_;
  const SessionTimes times_;
  std::function<void(const model::InstanceId&)> left_;
  using Sessions = std::map<model::InstanceId, SessionPtr>;
  static bool replace(base::Guarded<Sessions>& sessions, const SessionPtr& session);
  // False where another session has replaced this one.
  static bool remove(base::Guarded<Sessions>& sessions, const SessionPtr& session);

  base::Guarded<Sessions> sessions_, telemetry_sessions_;
};

}  // namespace doors::agents
