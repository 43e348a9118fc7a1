// SPDX-License-Identifier: Apache-2.0
// A session that runs, with its sockets.
#pragma once

#include <memory>
#include <string>

#include "base/guarded.h"
#include "doors/exec/exec_sessions.h"

namespace doors::exec {

// Proxies cut connections that are idle.
inline constexpr base::Duration kPingEvery = std::chrono::seconds(20);
// A client that is silent for so long is gone. Ours answers each ping. The plugin does not while its output is not read,
// by a pager or after Ctrl-S, but sends a ping of its own every five minutes.
inline constexpr base::Duration kOurSilence = std::chrono::seconds(60), kPluginSilence = std::chrono::minutes(6);

// One socket: a coroutine reads it, another writes it, both on its thread.
struct ExecSessions::Connection {
  std::shared_ptr<http::WebSocket> socket;  // shared with the map of sockets, for closing it
  bool reading = true, writing = true;
};

struct ExecSessions::Live {
  Live(const state::ExecSession& session, shapes::stoker::StokerExecSpec request, Relay joined)
      : row(session), spec(std::move(request)), relay(std::move(joined)) {}

  const state::ExecSession row;
  const shapes::stoker::StokerExecSpec spec;
  base::Guarded<Relay> relay;
  base::Guarded<std::shared_ptr<http::WebSocket>> client;  // the newest
  struct Finish {
    bool under_way = false;
    Steady due = {};  // again, after a failure
  };
  base::Guarded<Finish> finish;

  std::string topic() const { return "exec/" + row.id; }
  bool is_client(const std::shared_ptr<http::WebSocket>& socket) {
    return client.with([&](auto& newest) { return newest == socket; });
  }
};

inline Steady steady_now() { return std::chrono::steady_clock::now(); }

}  // namespace doors::exec
