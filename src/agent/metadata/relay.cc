// SPDX-License-Identifier: Apache-2.0
#include "agent/metadata/relay.h"

#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <set>
#include <stdexcept>

#include "base/log.h"
#include "http/lane.h"
#include "http/link.h"
#include "http/listener.h"

namespace agent {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr base::Duration kAcceptPause{100};
constexpr std::size_t kBufferBytes = 16 * 1024;

// A client's connection and its counterpart to the server. Shared by the two coroutines that copy the
// bytes, either of which may end last.
struct Pair {
  Pair(asio::io_context& io, tcp::socket accepted)
      : client(http::plain_stream(std::move(accepted))), server(std::make_shared<http::Link>(io.get_executor())) {}

  void close() {
    error_code ignored;
    client->socket().close(ignored);
    server->expire();
  }

  std::unique_ptr<http::Stream> client;
  http::LinkPtr server;
  std::chrono::steady_clock::time_point last_activity = std::chrono::steady_clock::now();
  bool connecting = true, half_closed = false;
  int open_directions = 2;
};

// Copies one direction until its end, which is passed on. The other direction may continue.
asio::awaitable<void> copy_bytes(std::shared_ptr<Pair> pair, http::Stream& from, http::Stream& to) {
  std::array<char, kBufferBytes> buffer;
  error_code failed;
  while (!failed) {
    std::size_t got = co_await from.read_some(asio::buffer(buffer), failed);
    if (failed) break;
    pair->last_activity = std::chrono::steady_clock::now();
    asio::const_buffer bytes(buffer.data(), got);
    co_await to.write(bytes, failed);
  }
  const bool ended = failed == asio::error::eof || failed == asio::ssl::error::stream_truncated;
  if (!ended) {
    pair->close();
  } else if (&to == pair->server->stream.get() && pair->server->tls) {
    pair->half_closed = true;  // TLS has no end of one direction
  } else {
    error_code ignored;
    to.socket().shutdown(tcp::socket::shutdown_send, ignored);
  }
}

}  // namespace

struct Relay::State {
  State(asio::io_context& context, RelayLimits l) : io(context), limits(l), acceptor(io), pause(io), timer(io) {}

  void spawn(asio::awaitable<void> work);
  asio::awaitable<void> accept_all();
  asio::awaitable<void> serve(std::shared_ptr<Pair> pair);
  asio::awaitable<void> copy_replies(std::shared_ptr<Pair> pair);
  asio::awaitable<void> close_expired();
  void stop();

  asio::io_context& io;
  const RelayLimits limits;
  tcp::acceptor acceptor;
  asio::steady_timer pause, timer;
  http::Endpoint server;
  http::TlsContext tls;
  bool stopping = false;
  http::Running running;
  std::set<std::shared_ptr<Pair>> pairs;
};

void Relay::State::spawn(asio::awaitable<void> work) {
  running.add();
  asio::co_spawn(io, std::move(work), [this](std::exception_ptr failure) {
    if (failure) base::log_error("relayed connection failed");
    running.done();
  });
}

asio::awaitable<void> Relay::State::accept_all() {
  while (!stopping) {
    tcp::socket socket(io);
    error_code failed;
    co_await acceptor.async_accept(socket, asio::redirect_error(asio::use_awaitable, failed));
    if (stopping) break;
    if (failed) {
      pause.expires_after(kAcceptPause);
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, failed));
      continue;
    }
    if (pairs.size() >= limits.connections) {
      base::log_warn("relay connection rejected: too many connections", {{"connections", pairs.size()}});
      continue;
    }
    auto pair = std::make_shared<Pair>(io, std::move(socket));
    pairs.insert(pair);
    spawn(serve(pair));
  }
}

asio::awaitable<void> Relay::State::serve(std::shared_ptr<Pair> pair) {
  error_code failed;
  co_await http::connect(pair->server, server, tls, failed);
  pair->connecting = false;
  pair->last_activity = std::chrono::steady_clock::now();
  if (failed || stopping) {
    // A certificate that is not trusted would otherwise stay unnoticed.
    if (tls && failed) base::log_warn("relay has no connection", {{"error", http::failure(pair->server, server, failed).message}});
    pair->close();
    pairs.erase(pair);
    co_return;
  }
  for (http::Socket* socket : {&pair->client->socket(), &pair->server->stream->socket()}) {
    error_code ignored;
    socket->set_option(tcp::no_delay(true), ignored);
    socket->set_option(asio::socket_base::keep_alive(true), ignored);
  }
  spawn(copy_replies(pair));
  co_await copy_bytes(pair, *pair->client, *pair->server->stream);
  if (--pair->open_directions == 0) pairs.erase(pair);
}

asio::awaitable<void> Relay::State::copy_replies(std::shared_ptr<Pair> pair) {
  co_await copy_bytes(pair, *pair->server->stream, *pair->client);
  // The server closes a TLS connection as a whole, and the client has no peer left.
  if (pair->server->tls) pair->close();
  if (--pair->open_directions == 0) pairs.erase(pair);
}

asio::awaitable<void> Relay::State::close_expired() {
  while (!stopping) {
    error_code cancelled;
    timer.expires_after(limits.tick);
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
    auto now = std::chrono::steady_clock::now();
    for (const std::shared_ptr<Pair>& pair : pairs) {
      const base::Duration limit =
          pair->connecting ? limits.connect : pair->half_closed ? limits.half_closed : limits.idle;
      if (now - pair->last_activity > limit) pair->close();
    }
  }
}

void Relay::State::stop() {
  stopping = true;
  error_code ignored;
  acceptor.close(ignored);
  pause.cancel();
  timer.cancel();
  for (const std::shared_ptr<Pair>& pair : pairs) pair->close();
}

Relay::Relay(asio::io_context& io, const RelayRoute& route, RelayLimits limits)
    : state_(std::make_unique<State>(io, limits)) {
  base::Result<http::TlsContext> tls = http::client_tls(route.server);
  if (!tls) throw std::runtime_error(tls.error());
  state_->server = route.server;
  state_->tls = std::move(*tls);
  http::Descriptor listener = http::open_tcp_listener(route.listen_address, route.listen_port);
  state_->acceptor.assign(tcp::v4(), listener.get());
  listener.release();
  state_->spawn(state_->accept_all());
  state_->spawn(state_->close_expired());
}

Relay::~Relay() {
  asio::post(state_->io, [state = state_.get()] { state->stop(); });
  state_->running.wait_for_none();
}

unsigned short Relay::port() const { return http::bound_port(state_->acceptor.native_handle()); }

}  // namespace agent
