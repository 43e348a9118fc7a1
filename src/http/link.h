// SPDX-License-Identifier: Apache-2.0
// A client's connection to one endpoint: connects, writes and reads, each with a deadline.
// Private to http. Belongs to one io_context.
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

using TlsContext = std::shared_ptr<boost::asio::ssl::context>;  // shared with the connections that use it

struct Link {
  using Clock = std::chrono::steady_clock;

  explicit Link(boost::asio::any_io_executor executor) : resolver(executor), socket(executor), timer(executor) {}

  // Ends the current wait, and all later ones.
  void expire();
  std::string_view buffered() const;

  boost::asio::ip::tcp::resolver resolver;
  Socket socket;  // until `stream` owns it
  TlsContext tls;
  std::unique_ptr<Stream> stream;
  boost::asio::steady_timer timer;
  Clock::time_point deadline = Clock::time_point::max();
  boost::beast::flat_buffer buffer;
  bool expired = false;
  std::string rejected;    // why an address was not connected to
  bool got_bytes = false;  // of the current response
};

// Shared with the timer's handler, which may still be queued when the request is over.
using LinkPtr = std::shared_ptr<Link>;

// The end of a wait; never, if the clock cannot represent it.
Link::Clock::time_point end_of(base::Duration wait, Link::Clock::time_point start = Link::Clock::now());

void arm(const LinkPtr& link, Link::Clock::time_point deadline);
void disarm(const LinkPtr& link);

// Null unless the endpoint is of kind Tls. An error explains in one line why TLS is not possible.
base::Result<TlsContext> client_tls(const Endpoint& endpoint);

boost::asio::awaitable<void> connect(LinkPtr link, const Endpoint& endpoint, TlsContext tls, error_code& error);

// Reads once and parses the bytes. `error` is the end of the connection, which may also end the response.
boost::asio::awaitable<base::Result<bool>> receive_some(LinkPtr link, ResponseParser& parser, const Endpoint& endpoint,
                                                        error_code& error);

// Sends a request to upgrade the connection, and reads the response that accepts or rejects it. Bytes that follow a
// 101 stay in the link's buffer.
boost::asio::awaitable<base::Result<Response>> ask_for_upgrade(LinkPtr link, const Endpoint& endpoint,
                                                               std::string request);

// The reason for people: "cannot reach db:80: Connection refused".
base::Error failure(const LinkPtr& link, const Endpoint& endpoint, const error_code& error);

std::string place(const Endpoint& endpoint);

// Sets a missing Host. An error if the method or target cannot be in a request line.
base::Result<Request> prepare(Request request, const Endpoint& endpoint);

}  // namespace http
