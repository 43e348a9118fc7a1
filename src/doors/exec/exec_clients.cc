// SPDX-License-Identifier: Apache-2.0
// Clients of sessions: session-manager-plugin, and `stoker`.
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <utility>

#include "api/decode.h"
#include "api/errors.h"
#include "base/log.h"
#include "doors/exec/exec_sessions.h"
#include "doors/exec/live_session.h"
#include "wire/error.h"

namespace doors::exec {
namespace asio = boost::asio;
using datachannel::OpenDataChannelInput;
using services::Access;
using services::Call;

// The result of a client's first message.
struct ExecSessions::Opened {
  LivePtr live = {};
  std::string rejection = {};
};

// Of the upgrade. Without both, it is not signed.
struct ExecSessions::Signature {
  std::string account = {};  // of the key; the connection is counted as one of this account
  std::string rejection = {};
};

namespace {

// One text for all reasons: a stranger learns nothing about sessions that exist.
constexpr char kBadToken[] =
    "The token of the session is invalid, has expired, or was used already. Start a new session.";
constexpr char kSigningName[] = "ssmmessages";

http::WebSocketLimits client_limits() {
  http::WebSocketLimits limits;
  limits.binary = true;
  limits.message_bytes = datachannel::kMaxPayloadBytes + 1024;
  limits.write_patience = kPluginSilence;
  return limits;
}

// The first message, within a time that nothing else which is received extends.
asio::awaitable<base::Result<std::string>> read_first(std::shared_ptr<http::WebSocket> socket, base::Duration patience) {
  auto executor = co_await asio::this_coro::executor;
  asio::steady_timer overdue(executor, patience);
  overdue.async_wait([socket](const boost::system::error_code& stopped) {
    if (!stopped) socket->close();
  });
  auto text = co_await socket->read(patience);
  co_return std::move(text);
}

}  // namespace

// Plugins since 1.2.764 sign the upgrade. No account where the request is not signed: the token identifies the client.
asio::awaitable<ExecSessions::Signature> ExecSessions::check_signature(http::Exchange& exchange, signing::ClaimResult claim) {
  Signature signature;
  if (claim.error == signing::AuthError::Missing) co_return signature;
  try {
    const api::Signer signer = co_await authenticator_.find_or_throw(claim, kSigningName);
    authenticator_.verify(claim.claim, signer, exchange.head(), "");
    signature.rejection = exchange.set_client(signer.key->account);
    if (signature.rejection.empty()) signature.account = signer.key->account;
  } catch (const wire::ApiError& error) {
    signature.rejection = "The signature of the request was rejected: " + error.message();
  }
  co_return signature;
}

asio::awaitable<http::Response> ExecDoor::serve(http::Exchange& exchange, signing::ClaimResult claim) {
  return sessions_.serve_client(exchange, std::move(claim));
}

asio::awaitable<http::Response> ExecSessions::serve_client(http::Exchange& exchange, signing::ClaimResult claim) {
  Signature signature = co_await check_signature(exchange, std::move(claim));
  std::optional<Opening> opening;
  if (signature.account.empty()) opening.emplace(openings_, network_of(exchange.peer()));
  if (opening && !opening->admitted()) {
    co_return http::text_response(503, "Too many connections are being opened. Try again.");
  }
  const std::string id(exchange.head().path().substr(ExecDoor::kPath.size()));
  auto connection = std::make_shared<Connection>();
  const Opened opened = co_await welcome(exchange, std::move(signature), connection);
  opening.reset();
  if (opened.live) {
    co_await run_client(opened.live, connection);
  } else if (!opened.rejection.empty()) {
    const std::int64_t now_ms = base::to_millis(engine_.clock().now());
    connection->socket->send_binary(datachannel::channel_closed(id, opened.rejection, now_ms));
  }
  co_return http::Response{};
}

// Neither a session nor a rejection: the client is gone.
asio::awaitable<ExecSessions::Opened> ExecSessions::welcome(http::Exchange& exchange, Signature signature,
                                                            ConnectionPtr connection) {
  Opened opened;
  std::string id(exchange.head().path().substr(ExecDoor::kPath.size()));
  connection->socket = co_await exchange.accept_websocket(client_limits());
  auto text = co_await read_first(connection->socket, times_.token);
  if (!text) co_return Opened{};
  opened.rejection = std::move(signature.rejection);
  if (!opened.rejection.empty()) co_return opened;
  services::Caller caller;  // anonymous without a signature, and never the server itself
  caller.account = std::move(signature.account);
  caller.address = api::address_of(exchange.peer());
  opened = co_await open(exchange, std::move(id), std::move(*text), std::move(caller));
  co_return opened;
}

asio::awaitable<ExecSessions::Opened> ExecSessions::open(http::Exchange& exchange, std::string id, std::string text,
                                                         services::Caller caller) {
  Opened opened;
  opened.rejection = kBadToken;
  const auto input = datachannel::from_json<OpenDataChannelInput>(text);
  if (!input || !state::valid_exec_token(input->TokenValue)) co_return opened;
  const std::string hash = state::exec_token_hash(input->TokenValue);
  std::optional<state::ExecSession> row;
  // A read first: a stranger must not keep the writer busy.
  api::Engine::Work look = [&](Call& call) {
    const std::string& account = call.caller.account;
    row = state::find_exec_session(call.tx, id);
    if (row && (row->token_hash != hash || (!account.empty() && row->account != account))) row.reset();
  };
  co_await engine_.run(Access::Read, caller, std::move(look));
  if (!row) co_return opened;
  // The token is right. It stays valid where the account has no place for this connection.
  if (std::string refusal = exchange.set_client(row->account); !refusal.empty()) {
    opened.rejection = std::move(refusal);
    co_return opened;
  }
  caller.account = row->account;
  bool used = false;
  api::Engine::Work use = [&](Call& call) { used = state::use_exec_token(call.tx, id, hash, call.now); };
  co_await engine_.run(Access::Write, caller, std::move(use));
  if (!used) co_return opened;
  opened.live = find(id);
  if (!opened.live && row->begun) co_return opened;  // it has just ended, and must not begin again
  if (!opened.live) opened.live = begin(*row);
  opened.rejection.clear();
  co_return opened;
}

asio::awaitable<void> ExecSessions::run_client(LivePtr live, ConnectionPtr connection) {
  const auto former = live->client.with([&](auto& newest) { return std::exchange(newest, connection->socket); });
  if (former) former->close();
  live->relay.with([](Relay& relay) { relay.connect_client(steady_now()); });
  changed(live);
  co_await run(live, connection, &ExecSessions::read_client, &ExecSessions::write_client);
  const bool newest = live->client.with([&](auto& socket) {
    if (socket != connection->socket) return false;
    socket.reset();
    return true;
  });
  if (!newest) co_return;
  const bool over = live->relay.with([](Relay& relay) {
    relay.disconnect_client(steady_now());
    return relay.over();
  });
  // The loop ends the session if nobody comes back.
  engine_.topics().wake(std::string(state::kExecTopic));
  if (over) co_return;
  services::Caller owner;
  owner.account = live->row.account;
  api::Engine::Work write = [&](Call& call) {
    state::set_exec_status(call.tx, live->row.id, state::ExecStatus::Disconnected);
  };
  co_await engine_.run(Access::Write, std::move(owner), std::move(write));
}

asio::awaitable<void> ExecSessions::read_client(LivePtr live, ConnectionPtr connection) {
  const base::Duration silence = live->spec.ours ? kOurSilence : kPluginSilence;
  for (;;) {
    auto bytes = co_await connection->socket->read(silence);
    if (!bytes || !live->is_client(connection->socket)) co_return;
    auto message = datachannel::decode(*bytes);
    if (!message) {
      base::log_debug("a message of a session's client was ignored", {{"session", live->row.id}, {"error", message.error()}});
      continue;
    }
    live->relay.with([&](Relay& relay) {
      relay.from_client(std::move(*message), base::to_millis(engine_.clock().now()), steady_now());
    });
    changed(live);
  }
}

asio::awaitable<void> ExecSessions::write_client(LivePtr live, ConnectionPtr connection) {
  Steady ping_at = steady_now() + kPingEvery;
  while (connection->reading && !engine_.draining() && live->is_client(connection->socket)) {
    const std::uint64_t seen = engine_.topics().seen();
    struct Step {
      std::vector<std::string> messages;
      bool over = false;
      Steady next;
    };
    Step step = live->relay.with([&](Relay& relay) {
      relay.tick(steady_now());
      auto messages = relay.take_for_client(base::to_millis(engine_.clock().now()), steady_now());
      return Step{std::move(messages), relay.over(), relay.next_for_client()};
    });
    for (std::string& message : step.messages) connection->socket->send_binary(std::move(message));
    if (step.over) co_return;
    // Output has left the relay: its agent may send more.
    if (!step.messages.empty()) engine_.topics().wake(live->topic());
    if (steady_now() >= ping_at) {
      connection->socket->ping();
      ping_at = steady_now() + kPingEvery;
    }
    co_await wait(live, seen, std::min(step.next, ping_at));
  }
}

}  // namespace doors::exec
