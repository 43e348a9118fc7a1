// SPDX-License-Identifier: Apache-2.0
#include "http/client.h"

#include <boost/asio/this_coro.hpp>
#include <limits>
#include <vector>

#include "base/guarded.h"
#include "http/block_on.h"
#include "http/link.h"
#include "http/writer.h"

namespace http {
namespace {

namespace asio = boost::asio;

struct Idle {
  asio::execution_context* context;
  LinkPtr link;
};

// Where the body of a response goes.
struct Delivery {
  BodySink sink;               // empty: into the response
  base::Duration idle;         // with a sink: the longest wait for its next piece

  // Passes on what has arrived of a body with status 200. False: a body of another status is too large.
  bool pass(ResponseParser& parser, const LinkPtr& link, std::size_t most) const {
    if (!sink || !parser.head_done()) return true;
    if (parser.so_far().status != 200) return parser.so_far().body.size() <= most;
    const std::string piece = parser.take_body();
    if (!piece.empty()) sink(piece);
    arm(link, end_of(idle));
    return true;
  }
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

struct ResponseStream::State {
  State(Endpoint from, LinkPtr on, ResponseLimits bounds, bool to_head)
      : endpoint(std::move(from)), link(std::move(on)), parser(bounds, to_head) {}

  const Endpoint endpoint;
  LinkPtr link;
  ResponseParser parser;
};

ResponseStream::ResponseStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
ResponseStream::~ResponseStream() = default;
int ResponseStream::status() const { return state_->parser.so_far().status; }
const base::Headers& ResponseStream::headers() const { return state_->parser.so_far().headers; }

asio::awaitable<base::Result<std::string>> ResponseStream::read_piece(base::Duration deadline) {
  State& state = *state_;
  arm(state.link, end_of(deadline));
  while (state.parser.so_far().body.empty() && !state.parser.done()) {
    error_code error;
    base::Result<bool> received = co_await receive_some(state.link, state.parser, state.endpoint, error);
    if (!received) co_return base::Error{received.error()};
  }
  disarm(state.link);
  co_return state.parser.take_body();
}

struct Client::State {
  State(IoThreads& threads, Endpoint to, ClientLimits bounds)
      : io(threads), endpoint(std::move(to)), limits(bounds), tls(client_tls(endpoint)) {}

  LinkPtr take_idle(asio::execution_context& context);
  void keep(asio::execution_context& context, LinkPtr link);
  asio::awaitable<base::Result<Response>> exchange(LinkPtr link, const Request& request, const Delivery& delivery,
                                                   error_code& error);
  asio::awaitable<base::Result<Response>> receive(LinkPtr link, bool to_head, const Delivery& delivery,
                                                  error_code& error);

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
    // The most recently used: most likely still open.
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
                                                                const Delivery& delivery, error_code& error) {
  std::string out;
  write_head(request.head, request.body.size(), out);
  out += request.body;
  link->got_bytes = false;
  asio::const_buffer bytes = asio::buffer(out);
  co_await link->stream->write(bytes, error);
  // A server that rejects early may respond and close while we still write: read its response.
  if (link->expired) co_return failure(link, endpoint, error);
  bool to_head = request.head.method == "HEAD";
  base::Result<Response> response = co_await receive(link, to_head, delivery, error);
  co_return response;
}

asio::awaitable<base::Result<Response>> Client::State::receive(LinkPtr link, bool to_head, const Delivery& delivery,
                                                               error_code& error) {
  ResponseLimits bounds;
  bounds.head_bytes = limits.head_bytes;
  bounds.body_bytes = delivery.sink ? std::numeric_limits<std::size_t>::max() : limits.body_bytes;
  ResponseParser parser(bounds, to_head);
  while (!parser.done()) {
    base::Result<bool> received = co_await receive_some(link, parser, endpoint, error);
    if (!received) co_return base::Error{received.error()};
    if (!delivery.pass(parser, link, limits.body_bytes)) co_return base::Error{"the response is too large"};
  }
  // With bytes left over, or a body that the connection's end terminates, it cannot be reused.
  if (!error && !link->expired && parser.keep_alive() && link->buffer.size() == 0) {
    disarm(link);
    keep(link->socket.get_executor().context(), link);
  }
  error = {};
  co_return parser.take();
}

asio::awaitable<base::Result<Response>> Client::send(Request request, base::Duration deadline) {
  return send_to(std::move(request), deadline, {});
}

asio::awaitable<base::Result<Response>> Client::download(Request request, BodySink sink, base::Duration idle) {
  return send_to(std::move(request), idle, std::move(sink));
}

asio::awaitable<base::Result<Response>> Client::send_to(Request request, base::Duration deadline, BodySink sink) {
  State& state = *state_;
  const Delivery delivery{std::move(sink), deadline};
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
    base::Result<Response> result = co_await state.exchange(link, *prepared, delivery, error);
    bool was_closed = error && !link->expired && !link->got_bytes;
    if (result || !kept || !was_closed) co_return result;
  }
}

asio::awaitable<base::Result<std::unique_ptr<ResponseStream>>> Client::open(Request request, base::Duration deadline) {
  // A separate context: the stream may outlive the client.
  const Endpoint endpoint = state_->endpoint;
  const base::Result<TlsContext> tls = state_->tls;
  if (!tls) co_return base::Error{tls.error()};
  base::Result<Request> prepared = prepare(std::move(request), endpoint);
  if (!prepared) co_return base::Error{prepared.error()};
  ResponseLimits bounds;
  bounds.head_bytes = state_->limits.head_bytes;
  bounds.body_bytes = std::numeric_limits<std::size_t>::max();
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  LinkPtr link = std::make_shared<Link>(executor);
  arm(link, end_of(deadline));
  error_code error;
  co_await connect(link, endpoint, *tls, error);
  if (error) co_return failure(link, endpoint, error);

  std::string out;
  write_head(prepared->head, prepared->body.size(), out);
  out += prepared->body;
  asio::const_buffer bytes = asio::buffer(out);
  co_await link->stream->write(bytes, error);
  if (link->expired) co_return failure(link, endpoint, error);
  bool to_head = prepared->head.method == "HEAD";
  auto state = std::make_unique<ResponseStream::State>(endpoint, link, bounds, to_head);
  while (!state->parser.head_done()) {
    base::Result<bool> received = co_await receive_some(link, state->parser, endpoint, error);
    if (!received) co_return base::Error{received.error()};
  }
  disarm(link);
  co_return std::make_unique<ResponseStream>(std::move(state));
}

base::Result<int> Client::stream_now(Request request, base::Duration deadline_for_head,
                                     std::function<bool(std::string_view)> each) {
  asio::io_context& context = state_->io.next();
  auto opened = block_on(context, open(std::move(request), deadline_for_head));
  if (!opened) return base::Error{opened.error()};
  ResponseStream& stream = **opened;
  for (;;) {
    base::Result<std::string> piece = block_on(context, stream.read_piece(base::Duration::max()));
    if (!piece) return base::Error{piece.error()};
    if (piece->empty() || !each(*piece)) return stream.status();
  }
}

base::Result<Response> Client::send_now(Request request, base::Duration deadline) {
  return block_on(state_->io.next(), send(std::move(request), deadline));
}

}  // namespace http
