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

// Its reader and its writer are coroutines of one thread.
struct AgentSessions::Session {
  Session(services::Caller who, const SessionTimes& times) : caller(std::move(who)), state(times, Steady::now()) {}

  services::ecs::Admitted home;
  const services::Caller caller;
  const std::string id = base::random_uuid();
  std::shared_ptr<http::WebSocket> socket;  // shared with other senders
  SessionState state;
  bool over = false;
  bool pushing = false;  // the writer runs

  std::string topic() const { return state::instance_topic(home.instance.id); }
  std::string own_topic() const { return "session/" + id; }
  template <class Message>
  void send(std::string_view type, const Message& message) {
    socket->send(wire::write_frame(type, message));
  }
};

}  // namespace doors::agents
