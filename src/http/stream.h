// SPDX-License-Identifier: Apache-2.0
// One connected byte stream, plain or TLS, for the server and the client. Private
// to http.
#pragma once

#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>
#include <memory>
#include <string>

#include "base/file.h"

namespace http {

using boost::system::error_code;
// TCP or unix: they differ only in connect and accept.
using Socket = boost::asio::generic::stream_protocol::socket;
using Pieces = std::array<boost::asio::const_buffer, 2>;

class Stream {
 public:
  virtual ~Stream() = default;

  virtual boost::asio::awaitable<void> handshake(error_code& error) = 0;
  virtual boost::asio::awaitable<std::size_t> read_some(boost::asio::mutable_buffer into, error_code& error) = 0;
  // Writes as much as possible without waiting; pass the rest to write(). With `more`, the kernel
  // may hold the bytes back and send them with the next write.
  virtual std::size_t try_write(const Pieces& pieces, bool more = false) = 0;
  virtual boost::asio::awaitable<std::size_t> write(boost::asio::const_buffer bytes, error_code& error) = 0;
  // Sends this range of the file. Throws std::exception for an error of the file.
  virtual boost::asio::awaitable<void> send_file(const base::File& file, std::uint64_t offset, std::size_t size,
                                                 error_code& error) = 0;
  // Whether read_some() would return without waiting.
  virtual bool more_is_there() = 0;
  // Ends our side of the stream.
  virtual boost::asio::awaitable<void> shut_down(error_code& error) = 0;

  virtual Socket& socket() = 0;
  // Ends current waits with operation_aborted.
  void cancel();
  // Whether the peer closed its side, as far as the kernel knows.
  bool peer_gone();
};

std::unique_ptr<Stream> plain_stream(Socket socket);
// `context` must outlive the stream.
std::unique_ptr<Stream> tls_server_stream(Socket socket, boost::asio::ssl::context& context);
// Verifies that the certificate is for `host`, unless the context disables verification.
std::unique_ptr<Stream> tls_client_stream(Socket socket, boost::asio::ssl::context& context, const std::string& host);

}  // namespace http
