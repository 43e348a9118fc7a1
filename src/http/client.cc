// SPDX-License-Identifier: Apache-2.0
#include "http/client.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_future.hpp>
#include <future>
#include <optional>
#include <vector>

#include "base/guarded.h"
#include "http/link.h"
#include "http/writer.h"

namespace http {
namespace {

namespace asio = boost::asio;

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
      : io(threads), endpoint(std::move(to)), limits(bounds), tls(client_tls(endpoint)) {}

  LinkPtr take_idle(asio::execution_context& context);
  void keep(asio::execution_context& context, LinkPtr link);
  asio::awaitable<base::Result<Response>> exchange(LinkPtr link, const Request& request, error_code& error);
  asio::awaitable<base::Result<Response>> receive(LinkPtr link, bool to_head, error_code& error);

  IoThreads& io;
  const Endpoint endpoint;
  const ClientLimits limits;
  const base::Result<TlsContext> tls;
  base::Guarded<std::vector<Idle>> idle;
};

Client::Client(IoThreads& io, Endpoint endpoint, ClientLimits limits)
    : state_(std::make_unique<State>(io, std::move(endpoint), limits)) {}
Client::~Client() = default;

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

asio::awaitable<base::Result<Response>> Client::State::exchange(LinkPtr link, const Request& request,
                                                                error_code& error) {
  std::string out;
  write_head(request.head, request.body.size(), out);
  out += request.body;
  link->got_bytes = false;
  asio::const_buffer bytes = asio::buffer(out);
  co_await link->stream->write(bytes, error);
  // A server that refuses early answers and closes while we still write: look for it.
  if (link->expired) co_return failure(link, endpoint, error);
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
    base::Result<bool> received = co_await receive_some(link, parser, endpoint, error);
    if (!received) co_return base::Error{received.error()};
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
  if (!state.tls) co_return base::Error{state.tls.error()};
  base::Result<Request> prepared = prepare(std::move(request), state.endpoint);
  if (!prepared) co_return base::Error{prepared.error()};
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  Link::Clock::time_point end = end_of(deadline);
  for (bool first_try = true;; first_try = false) {
    LinkPtr link;
    if (first_try) link = state.take_idle(executor.context());
    bool kept = link != nullptr;
    if (!kept) link = std::make_shared<Link>(executor);
    arm(link, end);
    error_code error;
    if (!kept) {
      co_await connect(link, state.endpoint, *state.tls, error);
      if (error) co_return failure(link, state.endpoint, error);
    }
    base::Result<Response> result = co_await state.exchange(link, *prepared, error);
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
