// SPDX-License-Identifier: Apache-2.0
#include "http/link.h"

#include <algorithm>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::size_t kLinkReadBytes = 64 * 1024;
constexpr std::size_t kUpgradeHeadBytes = 64 * 1024;
constexpr std::size_t kRefusalBytes = 1024 * 1024;
// A longer wait has no end: the clock could not represent it.
constexpr base::Duration kLongestLinkWait = std::chrono::hours(24 * 365);

// Whether the text can be in a request line, where nothing can be escaped.
bool is_clean(std::string_view text) {
  return !text.empty() && std::ranges::none_of(text, [](unsigned char c) { return c <= ' ' || c == 127; });
}

std::string host_header(const Endpoint& endpoint) {
  if (endpoint.kind == Endpoint::Kind::Unix) return "localhost";
  bool usual = endpoint.port == (endpoint.kind == Endpoint::Kind::Tls ? 443 : 80);
  return usual ? endpoint.host : place(endpoint);
}

asio::awaitable<void> connect_tcp(LinkPtr link, const Endpoint& endpoint, error_code& error) {
  std::string port = std::to_string(endpoint.port);
  auto token = asio::redirect_error(asio::use_awaitable, error);
  tcp::resolver::results_type found = co_await link->resolver.async_resolve(endpoint.host, port, token);
  if (error) co_return;
  error = asio::error::host_not_found;
  for (const auto& entry : found) {
    if (link->expired) break;
    if (endpoint.reject) {
      auto why = endpoint.reject(entry.endpoint().address().to_string());
      if (why) {
        link->rejected = std::move(*why);
        continue;
      }
    }
    error_code ignored;
    link->socket.close(ignored);
    co_await link->socket.async_connect(entry.endpoint(), token);
    if (!error) break;
  }
  error_code ignored;
  if (!error) link->socket.set_option(tcp::no_delay(true), ignored);
}

}  // namespace

void Link::expire() {
  error_code ignored;
  expired = true;
  resolver.cancel();
  socket.close(ignored);
  if (stream) stream->socket().close(ignored);
}

std::string_view Link::buffered() const {
  return std::string_view(static_cast<const char*>(buffer.data().data()), buffer.size());
}

Link::Clock::time_point end_of(base::Duration wait, Link::Clock::time_point start) {
  return wait < kLongestLinkWait ? start + wait : Link::Clock::time_point::max();
}

void arm(const LinkPtr& link, Link::Clock::time_point deadline) {
  link->deadline = deadline;
  link->timer.expires_at(deadline);
  link->timer.async_wait([weak = std::weak_ptr<Link>(link)](const error_code& cancelled) {
    LinkPtr alive = weak.lock();
    if (!cancelled && alive && Link::Clock::now() >= alive->deadline) alive->expire();
  });
}

void disarm(const LinkPtr& link) {
  link->deadline = Link::Clock::time_point::max();
  link->timer.cancel();
}

base::Result<TlsContext> client_tls(const Endpoint& endpoint) {
  if (endpoint.kind != Endpoint::Kind::Tls) return TlsContext();
  auto tls = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(tls->native_handle(), TLS1_2_VERSION);
  if (!endpoint.verify_peer) return tls;
  error_code error;
  tls->set_verify_mode(asio::ssl::verify_peer, error);
  if (endpoint.ca_file.empty()) {
    tls->set_default_verify_paths(error);
  } else {
    tls->load_verify_file(endpoint.ca_file, error);
  }
  if (error) return base::Error{"cannot read the certificates in " + endpoint.ca_file + ": " + error.message()};
  return tls;
}

asio::awaitable<void> connect(LinkPtr link, const Endpoint& endpoint, TlsContext tls, error_code& error) {
  if (endpoint.kind == Endpoint::Kind::Unix) {
    asio::local::stream_protocol::endpoint name(endpoint.path);
    auto token = asio::redirect_error(asio::use_awaitable, error);
    co_await link->socket.async_connect(name, token);
  } else {
    co_await connect_tcp(link, endpoint, error);
  }
  if (error) co_return;
  if (tls) {
    link->tls = std::move(tls);
    link->stream = tls_client_stream(std::move(link->socket), *link->tls, endpoint.host);
  } else {
    link->stream = plain_stream(std::move(link->socket));
  }
  co_await link->stream->handshake(error);
}

asio::awaitable<base::Result<bool>> receive_some(LinkPtr link, ResponseParser& parser, const Endpoint& endpoint,
                                                 error_code& error) {
  asio::mutable_buffer room = link->buffer.prepare(kLinkReadBytes);
  std::size_t got = co_await link->stream->read_some(room, error);
  link->buffer.commit(got);
  link->got_bytes = link->got_bytes || got > 0;
  if (error && !link->expired && parser.end_of_stream()) co_return true;
  if (error) co_return failure(link, endpoint, error);
  base::Result<std::size_t> used = parser.parse(link->buffered());
  if (!used) co_return base::Error{place(endpoint) + ": " + used.error()};
  link->buffer.consume(*used);
  co_return true;
}

asio::awaitable<base::Result<Response>> ask_for_upgrade(LinkPtr link, const Endpoint& endpoint, std::string request) {
  error_code error;
  asio::const_buffer bytes = asio::buffer(request);
  co_await link->stream->write(bytes, error);
  // A server that rejects early may respond and close while we still write: read its response.
  if (link->expired) co_return failure(link, endpoint, error);
  ResponseLimits bounds;
  bounds.head_bytes = kUpgradeHeadBytes;
  bounds.body_bytes = kRefusalBytes;
  ResponseParser parser(bounds, false);
  while (!parser.done()) {
    base::Result<bool> received = co_await receive_some(link, parser, endpoint, error);
    if (!received) co_return base::Error{received.error()};
  }
  co_return parser.take();
}

base::Error failure(const LinkPtr& link, const Endpoint& endpoint, const error_code& error) {
  if (link->expired) return base::Error{"no answer from " + place(endpoint) + " in time"};
  if (!link->rejected.empty() && error == asio::error::host_not_found) {
    return base::Error{"will not connect to " + place(endpoint) + ": " + link->rejected};
  }
  return base::Error{"cannot reach " + place(endpoint) + ": " + error.message()};
}

std::string place(const Endpoint& endpoint) {
  if (endpoint.kind == Endpoint::Kind::Unix) return endpoint.path;
  return endpoint.host + ":" + std::to_string(endpoint.port);
}

base::Result<Request> prepare(Request request, const Endpoint& endpoint) {
  if (!is_clean(request.head.method) || !is_clean(request.head.target)) {
    return base::Error{"invalid method or target"};
  }
  if (!request.head.headers.find("Host")) request.head.headers.set("Host", host_header(endpoint));
  return request;
}

}  // namespace http
