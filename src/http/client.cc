// SPDX-License-Identifier: Apache-2.0
#include "http/client.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <future>
#include <optional>
#include <vector>

#include "base/guarded.h"
#include "http/response_parser.h"
#include "http/stream.h"
#include "http/writer.h"

namespace http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::size_t kReadBytes = 64 * 1024;
using Clock = std::chrono::steady_clock;

// One connection, made or in the making. Lives on one io_context.
struct Link {
  explicit Link(asio::any_io_executor executor) : resolver(executor), socket(executor), timer(executor) {}

  // Ends whatever it waits for, and whatever it would wait for next.
  void expire() {
    error_code ignored;
    expired = true;
    resolver.cancel();
    socket.close(ignored);
    if (stream) stream->socket().close(ignored);
  }

  tcp::resolver resolver;
  Socket socket;  // until `stream` has it
  std::unique_ptr<Stream> stream;
  asio::steady_timer timer;
  Clock::time_point deadline = Clock::time_point::max();
  boost::beast::flat_buffer buffer;
  bool expired = false;
  bool got_bytes = false;  // of the answer that is waited for
};

// Shared with its timer's handler alone, which may be queued when the request is over.
using LinkPtr = std::shared_ptr<Link>;

void arm(const LinkPtr& link, Clock::time_point deadline) {
  link->deadline = deadline;
  link->timer.expires_at(deadline);
  link->timer.async_wait([weak = std::weak_ptr<Link>(link)](const error_code& cancelled) {
    LinkPtr alive = weak.lock();
    if (!cancelled && alive && Clock::now() >= alive->deadline) alive->expire();
  });
}

void disarm(const LinkPtr& link) {
  link->deadline = Clock::time_point::max();
  link->timer.cancel();
}

// What goes into the request line and can't be escaped there.
bool is_clean(std::string_view text) {
  return !text.empty() && std::ranges::none_of(text, [](unsigned char c) { return c <= ' ' || c == 127; });
}

std::string place(const Endpoint& endpoint) {
  if (endpoint.kind == Endpoint::Kind::Unix) return endpoint.path;
  return endpoint.host + ":" + std::to_string(endpoint.port);
}

std::string host_header(const Endpoint& endpoint) {
  if (endpoint.kind == Endpoint::Kind::Unix) return "localhost";
  bool usual = endpoint.port == (endpoint.kind == Endpoint::Kind::Tls ? 443 : 80);
  return usual ? endpoint.host : place(endpoint);
}

asio::awaitable<void> send_into(Client& client, Request request, base::Duration deadline,
                                std::optional<base::Result<Response>>& into) {
  base::Result<Response> result = co_await client.send(std::move(request), deadline);
  into = std::move(result);
}

struct Idle {
  asio::execution_context* context;
  LinkPtr link;
};

}  // namespace

Endpoint Endpoint::tcp(std::string host, unsigned short port) {
  Endpoint endpoint;
  endpoint.host = std::move(host);
  endpoint.port = port;
  return endpoint;
}

Endpoint Endpoint::tls(std::string host, unsigned short port, std::string ca_file) {
  Endpoint endpoint = tcp(std::move(host), port);
  endpoint.kind = Kind::Tls;
  endpoint.ca_file = std::move(ca_file);
  return endpoint;
}

Endpoint Endpoint::unix_socket(std::string path) {
  Endpoint endpoint;
  endpoint.kind = Kind::Unix;
  endpoint.path = std::move(path);
  return endpoint;
}

struct Client::State {
  State(IoThreads& threads, Endpoint to, ClientLimits bounds)
      : io(threads), endpoint(std::move(to)), limits(bounds), tls(asio::ssl::context::tls_client) {}

  std::string set_up_tls();
  LinkPtr take_idle(asio::execution_context& context);
  void keep(asio::execution_context& context, LinkPtr link);
  asio::awaitable<void> connect(LinkPtr link, error_code& error);
  asio::awaitable<void> connect_tcp(LinkPtr link, error_code& error);
  asio::awaitable<base::Result<Response>> exchange(LinkPtr link, const Request& request, error_code& error);
  asio::awaitable<base::Result<Response>> receive(LinkPtr link, bool to_head, error_code& error);
  base::Error failure(const LinkPtr& link, const error_code& error) const;

  IoThreads& io;
  const Endpoint endpoint;
  const ClientLimits limits;
  asio::ssl::context tls;
  std::string tls_problem;
  base::Guarded<std::vector<Idle>> idle;
};

Client::Client(IoThreads& io, Endpoint endpoint, ClientLimits limits)
    : state_(std::make_unique<State>(io, std::move(endpoint), limits)) {
  if (state_->endpoint.kind == Endpoint::Kind::Tls) state_->tls_problem = state_->set_up_tls();
}
Client::~Client() = default;

// Why TLS can't be spoken, or "".
std::string Client::State::set_up_tls() {
  SSL_CTX_set_min_proto_version(tls.native_handle(), TLS1_2_VERSION);
  if (!endpoint.verify_peer) return "";
  error_code error;
  tls.set_verify_mode(asio::ssl::verify_peer, error);
  if (endpoint.ca_file.empty()) {
    tls.set_default_verify_paths(error);
  } else {
    tls.load_verify_file(endpoint.ca_file, error);
  }
  return error ? "cannot read the certificates in " + endpoint.ca_file + ": " + error.message() : "";
}

LinkPtr Client::State::take_idle(asio::execution_context& context) {
  return idle.with([&](std::vector<Idle>& kept) -> LinkPtr {
    // The one kept last: most likely still open.
    for (auto at = kept.rbegin(); at != kept.rend(); ++at) {
      if (at->context != &context) continue;
      LinkPtr link = std::move(at->link);
      kept.erase(std::next(at).base());
      return link;
    }
    return nullptr;
  });
}

void Client::State::keep(asio::execution_context& context, LinkPtr link) {
  idle.with([&](std::vector<Idle>& kept) {
    if (kept.size() < limits.idle_connections) kept.push_back({&context, std::move(link)});
  });
}

base::Error Client::State::failure(const LinkPtr& link, const error_code& error) const {
  if (link->expired) return base::Error{"no answer from " + place(endpoint) + " in time"};
  return base::Error{"cannot reach " + place(endpoint) + ": " + error.message()};
}

asio::awaitable<void> Client::State::connect_tcp(LinkPtr link, error_code& error) {
  std::string port = std::to_string(endpoint.port);
  auto token = asio::redirect_error(asio::use_awaitable, error);
  tcp::resolver::results_type found = co_await link->resolver.async_resolve(endpoint.host, port, token);
  if (error) co_return;
  error = asio::error::host_not_found;
  for (const auto& entry : found) {
    if (link->expired) break;
    error_code ignored;
    link->socket.close(ignored);
    co_await link->socket.async_connect(entry.endpoint(), token);
    if (!error) break;
  }
  error_code ignored;
  if (!error) link->socket.set_option(tcp::no_delay(true), ignored);
}

asio::awaitable<void> Client::State::connect(LinkPtr link, error_code& error) {
  if (endpoint.kind == Endpoint::Kind::Unix) {
    asio::local::stream_protocol::endpoint name(endpoint.path);
    auto token = asio::redirect_error(asio::use_awaitable, error);
    co_await link->socket.async_connect(name, token);
  } else {
    co_await connect_tcp(link, error);
  }
  if (error) co_return;
  if (endpoint.kind == Endpoint::Kind::Tls) {
    link->stream = tls_client_stream(std::move(link->socket), tls, endpoint.host);
  } else {
    link->stream = plain_stream(std::move(link->socket));
  }
  co_await link->stream->handshake(error);
}

asio::awaitable<base::Result<Response>> Client::State::exchange(LinkPtr link, const Request& request,
                                                                error_code& error) {
  std::string out;
  write_head(request.head, request.body.size(), out);
  out += request.body;
  link->got_bytes = false;
  asio::const_buffer bytes = asio::buffer(out);
  co_await link->stream->write(bytes, error);
  // A server that refuses early answers and closes while we still write: look for it.
  if (link->expired) co_return failure(link, error);
  bool to_head = request.head.method == "HEAD";
  base::Result<Response> response = co_await receive(link, to_head, error);
  co_return response;
}

asio::awaitable<base::Result<Response>> Client::State::receive(LinkPtr link, bool to_head, error_code& error) {
  ResponseLimits bounds;
  bounds.head_bytes = limits.head_bytes;
  bounds.body_bytes = limits.body_bytes;
  ResponseParser parser(bounds, to_head);
  while (!parser.done()) {
    asio::mutable_buffer room = link->buffer.prepare(kReadBytes);
    std::size_t got = co_await link->stream->read_some(room, error);
    link->buffer.commit(got);
    link->got_bytes = link->got_bytes || got > 0;
    if (error && !link->expired && parser.end_of_stream()) break;
    if (error) co_return failure(link, error);
    std::string_view input(static_cast<const char*>(link->buffer.data().data()), link->buffer.size());
    base::Result<std::size_t> used = parser.parse(input);
    if (!used) co_return base::Error{place(endpoint) + ": " + used.error()};
    link->buffer.consume(*used);
  }
  // With bytes left over, or an end that was the connection's, it can't be used again.
  if (!error && !link->expired && parser.keep_alive() && link->buffer.size() == 0) {
    disarm(link);
    keep(link->socket.get_executor().context(), link);
  }
  error = {};
  co_return parser.take();
}

asio::awaitable<base::Result<Response>> Client::send(Request request, base::Duration deadline) {
  State& state = *state_;
  if (!state.tls_problem.empty()) co_return base::Error{state.tls_problem};
  if (!is_clean(request.head.method) || !is_clean(request.head.target)) {
    co_return base::Error{"a method or target that can't be sent"};
  }
  if (!request.head.headers.find("Host")) request.head.headers.set("Host", host_header(state.endpoint));
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  Clock::time_point end = Clock::now() + deadline;
  for (bool first_try = true;; first_try = false) {
    LinkPtr link;
    if (first_try) link = state.take_idle(executor.context());
    bool kept = link != nullptr;
    if (!kept) link = std::make_shared<Link>(executor);
    arm(link, end);
    error_code error;
    if (!kept) {
      co_await state.connect(link, error);
      if (error) co_return state.failure(link, error);
    }
    base::Result<Response> result = co_await state.exchange(link, request, error);
    bool was_closed = error && !link->expired && !link->got_bytes;
    if (result || !kept || !was_closed) co_return result;
  }
}

base::Result<Response> Client::send_now(Request request, base::Duration deadline) {
  std::optional<base::Result<Response>> result;
  std::future<void> done =
      asio::co_spawn(state_->io.next(), send_into(*this, std::move(request), deadline, result), asio::use_future);
  done.get();
  return std::move(*result);
}

}  // namespace http
