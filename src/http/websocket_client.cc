// SPDX-License-Identifier: Apache-2.0
#include <boost/asio/this_coro.hpp>

#include "base/random.h"
#include "http/link.h"
#include "http/websocket_handshake.h"
#include "http/websocket_session.h"

namespace http {
namespace {

namespace asio = boost::asio;

constexpr base::Duration kWritePatience = std::chrono::seconds(60);
constexpr base::Duration kClosePatience = std::chrono::seconds(5);

Upgraded upgraded(Link& link, WebSocketLimits limits) {
  Upgraded made;
  made.tls = link.tls;
  made.stream = std::move(link.stream);
  made.early = std::string(link.buffered());
  made.role = Role::Client;
  made.limits = limits;
  made.write_patience = limits.write_patience.value_or(kWritePatience);
  made.close_patience = kClosePatience;
  return made;
}

}  // namespace

asio::awaitable<base::Result<WebSocketReply>> connect_websocket(Endpoint endpoint, Request request,
                                                                base::Duration deadline, WebSocketLimits limits) {
  if (request.head.method.empty()) request.head.method = "GET";
  base::Result<TlsContext> tls = client_tls(endpoint);
  if (!tls) co_return base::Error{tls.error()};
  base::Result<Request> prepared = prepare(std::move(request), endpoint);
  if (!prepared) co_return base::Error{prepared.error()};
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  LinkPtr link = std::make_shared<Link>(executor);
  arm(link, end_of(deadline));
  error_code error;
  co_await connect(link, endpoint, *tls, error);
  if (error) co_return failure(link, endpoint, error);

  std::string key = base::to_base64(base::random_bytes(16));
  std::string out;
  write_upgrade(prepared->head, key, out);
  base::Result<Response> response = co_await ask_for_upgrade(link, endpoint, std::move(out));
  if (!response) co_return base::Error{response.error()};
  WebSocketReply reply;
  if (response->status != 101) {
    reply.rejection = std::move(*response);
    co_return reply;
  }
  std::string problem = problem_with(*response, key);
  if (!problem.empty()) co_return base::Error{place(endpoint) + ": " + problem};
  disarm(link);
  Upgraded made = upgraded(*link, limits);
  reply.socket = WebSocketSession::start(executor, std::move(made))->handle();
  co_return reply;
}

}  // namespace http
