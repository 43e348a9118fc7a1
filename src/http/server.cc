// SPDX-License-Identifier: Apache-2.0
#include "http/server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <vector>

#include "base/check.h"
#include "base/log.h"
#include "http/lane.h"
#include "http/listener.h"

namespace http {
namespace {

namespace asio = boost::asio;

// Out of file descriptors: pending connections stay in the kernel's queue for this time.
constexpr base::Duration kAcceptPause = std::chrono::milliseconds(100);
// Then the connections of this thread have a turn: whoever opens and closes connections quickly must not hold them up.
constexpr int kMostAcceptedAtOnce = 64;
// After a cancellation, for handlers to notice it.
constexpr base::Duration kCancelPatience = std::chrono::seconds(5);

bool concerns_one_connection(int error) { return error == ECONNABORTED || error == EINTR || error == EPROTO; }

}  // namespace

// One listening socket and the coroutine that accepts on it.
struct Listener {
  Listener(asio::io_context& io, Descriptor opened) : context(io), descriptor(io, opened.release()), pause(io) {}

  asio::io_context& context;
  asio::posix::stream_descriptor descriptor;
  asio::steady_timer pause;
  std::unique_ptr<asio::ssl::context> tls;
  std::string path;  // of a unix socket
};

struct Server::State {
  State(IoThreads& threads, Handler h, Limits l)
      : io(threads), handler(std::move(h)), limits(l), admission(l.connections), bodies(l.bodies), account_bodies(l.account_bodies) {}

  void start(std::unique_ptr<Listener> listener);
  asio::awaitable<void> accept_all(Listener& listener);
  void deal(Accepted accepted);
  void stop_accepting();

  IoThreads& io;
  const Handler handler;
  const Limits limits;
  Admission admission;
  BodyBudget bodies, account_bodies;
  std::atomic<bool> draining = false;
  std::atomic<std::size_t> turn = 0;
  unsigned short port = 0;
  Running connections, ticks, acceptors;
  std::vector<std::unique_ptr<Lane>> lanes;
  std::vector<std::unique_ptr<Listener>> listeners;
};

void Server::State::start(std::unique_ptr<Listener> listener) {
  CHECK(!draining) << "listen after drain";
  Listener& started = *listeners.emplace_back(std::move(listener));
  if (port == 0) port = bound_port(started.descriptor.native_handle());
  acceptors.add();
  asio::co_spawn(started.context, accept_all(started), [this](std::exception_ptr failure) {
    if (failure) base::log_error("accepting connections failed");
    acceptors.done();
  });
}

asio::awaitable<void> Server::State::accept_all(Listener& listener) {
  error_code failed;
  for (int accepted_at_once = 0; !draining;) {
    if (accepted_at_once == kMostAcceptedAtOnce) {
      accepted_at_once = 0;
      listener.pause.expires_after(base::Duration(0));
      co_await listener.pause.async_wait(asio::redirect_error(asio::use_awaitable, failed));
    }
    int error = 0;
    Accepted accepted = accept_one(listener.descriptor.native_handle(), error);
    if (error == 0) {
      accepted.tls = listener.tls.get();
      deal(std::move(accepted));
      ++accepted_at_once;
    } else if (error == EAGAIN) {
      co_await listener.descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                                              asio::redirect_error(asio::use_awaitable, failed));
    } else if (!concerns_one_connection(error)) {
      base::log_warn("accepting paused", {{"errno", error}});
      listener.pause.expires_after(kAcceptPause);
      co_await listener.pause.async_wait(asio::redirect_error(asio::use_awaitable, failed));
    }
  }
  listener.descriptor.close(failed);
  if (!listener.path.empty()) ::unlink(listener.path.c_str());
}

void Server::State::deal(Accepted accepted) {
  std::optional<Admission::Place> place = admission.enter(accepted.family == AF_UNIX, accepted.address);
  if (!place) {
    turn_away(accepted);
    return;
  }
  accepted.place.emplace(std::move(*place));
  std::size_t lane = turn.fetch_add(1, std::memory_order_relaxed) % lanes.size();
  lanes[lane]->serve(std::move(accepted));
}

void Server::State::stop_accepting() {
  draining = true;
  for (auto& listener : listeners) {
    asio::post(listener->context, [&listener] {
      error_code ignored;
      listener->descriptor.cancel(ignored);
      listener->pause.cancel();
    });
  }
  acceptors.wait_for_none();
}

Server::Server(IoThreads& io, Handler handler, Limits limits)
    : state_(std::make_unique<State>(io, std::move(handler), limits)) {
  for (std::size_t i = 0; i < io.size(); ++i) {
    state_->lanes.push_back(std::make_unique<Lane>(io.at(i), state_->handler, state_->limits, state_->draining,
                                                   state_->bodies, state_->account_bodies, state_->connections,
                                                   state_->ticks));
    state_->lanes.back()->start_ticks();
  }
}

Server::~Server() {
  CHECK(!state_->io.stopped()) << "the server's threads stopped before the server";
  state_->stop_accepting();
  for (auto& lane : state_->lanes) lane->cancel_all();
  state_->connections.wait_for_none();
  for (auto& lane : state_->lanes) lane->stop_ticks();
  state_->ticks.wait_for_none();
}

void Server::listen_tcp(const std::string& address, unsigned short port) {
  Descriptor opened = open_tcp_listener(address, port);
  state_->start(std::make_unique<Listener>(state_->io.next(), std::move(opened)));
}

void Server::listen_tls(const std::string& address, unsigned short port, const std::string& certificate_file,
                        const std::string& key_file) {
  auto tls = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_server);
  error_code error;
  SSL_CTX_set_min_proto_version(tls->native_handle(), TLS1_2_VERSION);
  tls->use_certificate_chain_file(certificate_file, error);
  if (error) throw std::runtime_error("cannot use the certificate " + certificate_file + ": " + error.message());
  tls->use_private_key_file(key_file, asio::ssl::context::pem, error);
  if (error) throw std::runtime_error("cannot use the private key " + key_file + ": " + error.message());
  auto listener = std::make_unique<Listener>(state_->io.next(), open_tcp_listener(address, port));
  listener->tls = std::move(tls);
  state_->start(std::move(listener));
}

void Server::listen_unix(const std::string& path) {
  auto listener = std::make_unique<Listener>(state_->io.next(), open_unix_listener(path));
  listener->path = path;
  state_->start(std::move(listener));
}

unsigned short Server::port() const { return state_->port; }
std::size_t Server::connections() const { return static_cast<std::size_t>(state_->connections.count()); }
const Admission& Server::admission() const { return state_->admission; }
const BodyBudget& Server::bodies() const { return state_->bodies; }

const BodyBudget& Server::account_bodies() const { return state_->account_bodies; }

void Server::drain() {
  state_->stop_accepting();
  for (auto& lane : state_->lanes) lane->end_idle_waits();
  if (state_->connections.wait_for_none(state_->limits.drain)) return;
  base::log_warn("requests in progress were cancelled", {{"connections", state_->connections.count()}});
  for (auto& lane : state_->lanes) lane->cancel_all();
  (void)state_->connections.wait_for_none(kCancelPatience);
}

}  // namespace http
