// SPDX-License-Identifier: Apache-2.0
// One session: a socket, and the state of the conversation on it.
#pragma once

#include <memory>
#include <string>

#include "base/random.h"
#include "doors/agents/agent_sessions.h"
#include "http/websocket.h"
#include "state/machine.h"

namespace doors::agents {

// Amazon's agent publishes metrics this often, and so does ours unless it is told otherwise.
inline constexpr std::int32_t kUsualPaceSeconds = 20;

// Its reader and its writer are coroutines of one thread.
struct AgentSessions::Session {
  Session(services::Caller who, const SessionTimes& times) : caller(std::move(who)), state(times, Steady::now()) {}

  services::ecs::Admitted home;
  const services::Caller caller;
  const std::string id = base::random_uuid();
  std::shared_ptr<http::WebSocket> socket;  // shared with other senders
  SessionState state;
  std::string target = {};        // of the request that opened it
  bool has_lost_credentials = false;
  bool over = false;
  bool pushing = false;  // the writer runs
  std::int32_t pace_seconds = kUsualPaceSeconds;  // of its telemetry

  // Messages and members of our own, with keys among them, are only for Stoker's agent.
  bool with_our_agent() const { return home.instance.has_our_agent(); }
  std::string topic() const { return state::instance_topic(home.instance.id); }
  std::string own_topic() const { return "session/" + id; }
  template <class Message>
  void send(std::string_view type, const Message& message) {
    socket->send(wire::write_frame(type, message));
  }
};

}  // namespace doors::agents
