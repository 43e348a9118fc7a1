// SPDX-License-Identifier: Apache-2.0
// A client's connection to one endpoint: made, written to and read from, until a deadline.
// Private to http. Lives on one io_context.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "http/client.h"
#include "http/response_parser.h"
#include "http/stream.h"

namespace http {

using TlsContext = std::shared_ptr<boost::asio::ssl::context>;  // shared: with the connections made from it

struct Link {
  using Clock = std::chrono::steady_clock;

  explicit Link(boost::asio::any_io_executor executor) : resolver(executor), socket(executor), timer(executor) {}

  // Ends whatever it waits for, and whatever it would wait for next.
  void expire();
  std::string_view buffered() const;

  boost::asio::ip::tcp::resolver resolver;
  Socket socket;  // until `stream` has it
  TlsContext tls;
  std::unique_ptr<Stream> stream;
  boost::asio::steady_timer timer;
  Clock::time_point deadline = Clock::time_point::max();
  boost::beast::flat_buffer buffer;
  bool expired = false;
  bool got_bytes = false;  // of the answer that is waited for
};

// Shared with its timer's handler alone, which may be queued when the request is over.
using LinkPtr = std::shared_ptr<Link>;

// When a wait is over; never, for one too long to count.
Link::Clock::time_point end_of(base::Duration wait, Link::Clock::time_point start = Link::Clock::now());

void arm(const LinkPtr& link, Link::Clock::time_point deadline);
void disarm(const LinkPtr& link);

// For an endpoint of kind Tls, null for others. A problem is why TLS can't be spoken, in one line.
base::Result<TlsContext> client_tls(const Endpoint& endpoint);

boost::asio::awaitable<void> connect(LinkPtr link, const Endpoint& endpoint, TlsContext tls, error_code& error);

// Reads once and parses what came. `error` is the connection's end, which may be the answer's too.
boost::asio::awaitable<base::Result<bool>> receive_some(LinkPtr link, ResponseParser& parser, const Endpoint& endpoint,
                                                        error_code& error);

// Why it failed, for a person: "cannot reach db:80: Connection refused".
base::Error failure(const LinkPtr& link, const Endpoint& endpoint, const error_code& error);

std::string place(const Endpoint& endpoint);

// Sets Host where there is none. An error for what can't stand in a request line.
base::Result<Request> prepare(Request request, const Endpoint& endpoint);

}  // namespace http
