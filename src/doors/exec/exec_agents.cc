// SPDX-License-Identifier: Apache-2.0
// Agents of sessions: each opens a stream of its own for the session that it was sent.
#include "api/identify.h"
#include "doors/exec/exec_sessions.h"
#include "doors/exec/live_session.h"
#include "services/ecs/tasks/agent_work.h"
#include "state/cluster.h"

namespace doors::exec {
namespace asio = boost::asio;
using services::Access;
using services::Call;

namespace {

// A command may be silent, and its client may pause, for as long as the session lives.
constexpr base::Duration kLongestPause = std::chrono::hours(24);
constexpr std::size_t kUnsentBytes = 64 * 1024;
constexpr char kLost[] = "The connection to the machine was lost.";

http::WebSocketLimits agent_limits() {
  http::WebSocketLimits limits;
  limits.binary = true;
  limits.message_bytes = 2 * Relay::kPieceBytes;
  limits.write_patience = kLongestPause;
  return limits;
}

wire::ApiError no_session() { return wire::ApiError("ResourceNotFoundException", "The session does not exist."); }

}  // namespace

// As for the agent's own session: its key must be one that may act for the instance.
asio::awaitable<void> ExecSessions::admit(services::Caller caller, LivePtr live) {
  api::Engine::Work look = [&](Call& call) {
    const auto cluster = state::find_cluster(call.tx, live->row.cluster);
    if (!cluster || cluster->account != call.caller.account || cluster->region != call.caller.region) throw no_session();
    services::ecs::admit(call, cluster->name, live->row.machine.str());
  };
  co_await engine_.run(Access::Read, std::move(caller), std::move(look));
}

asio::awaitable<http::Response> ExecSessions::serve_agent(http::Exchange& exchange, services::Caller caller) {
  const std::string query(exchange.head().query());
  const LivePtr live = find(api::form_field(query, "session").value_or(""));
  if (!live) throw no_session();
  co_await admit(std::move(caller), live);
  const bool first = live->relay.with([](Relay& relay) { return relay.connect_agent(); });
  if (!first) throw wire::ApiError("ResourceInUseException", "The session has a stream already.");
  auto connection = std::make_shared<Connection>();
  try {
    connection->socket = co_await exchange.accept_websocket(agent_limits());
    co_await run(live, connection, &ExecSessions::read_agent, &ExecSessions::write_agent);
  } catch (...) {
    live->relay.with([](Relay& relay) { relay.disconnect_agent(kLost, steady_now()); });
    changed(live);
    throw;
  }
  live->relay.with([](Relay& relay) { relay.disconnect_agent(kLost, steady_now()); });
  changed(live);
  engine_.topics().wake(std::string(state::kExecTopic));  // it may wait for a client from now on
  co_return http::Response{};
}

// The socket is not read while the client does not take what came before: then the agent has to wait, and the command.
asio::awaitable<void> ExecSessions::read_agent(LivePtr live, ConnectionPtr connection) {
  for (;;) {
    auto message = co_await connection->socket->read(kLongestPause);
    if (!message) co_return;
    live->relay.with([&](Relay& relay) { relay.from_agent(*message, steady_now()); });
    changed(live);
    for (;;) {
      const std::uint64_t seen = engine_.topics().seen();
      const bool room = live->relay.with([](Relay& relay) { return relay.accepts_output() || relay.over(); });
      if (room || !connection->writing || engine_.draining()) break;
      co_await wait(live, seen, steady_now() + kPingEvery);
    }
  }
}

asio::awaitable<void> ExecSessions::write_agent(LivePtr live, ConnectionPtr connection) {
  Steady ping_at = steady_now() + kPingEvery;
  while (connection->reading && !engine_.draining()) {
    const std::uint64_t seen = engine_.topics().seen();
    auto message = live->relay.with(
        [&](Relay& relay) { return relay.take_for_agent(base::to_millis(engine_.clock().now())); });
    if (message) {
      connection->socket->send_binary(std::move(*message));
      co_await connection->socket->wait_for_room(kUnsentBytes);
      changed(live);  // there is room for more input
      continue;
    }
    const bool ended = live->relay.with([](Relay& relay) { return relay.command_ended(); });
    if (ended) co_return;
    if (steady_now() >= ping_at) {
      connection->socket->ping();
      ping_at = steady_now() + kPingEvery;
    }
    co_await wait(live, seen, ping_at);
  }
}

}  // namespace doors::exec
