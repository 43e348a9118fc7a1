// SPDX-License-Identifier: Apache-2.0
// A connection that a server has turned into a plain stream of bytes, after "101 Switching Protocols".
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "http/client.h"
#include "http/message.h"

namespace http {

// One reader and one writer at a time, on the io_context that opened it. Destroying it closes the connection; no call
// may be pending then.
class ByteStream {
 public:
  struct State;

  explicit ByteStream(std::unique_ptr<State> state);
  ~ByteStream();

  // Some bytes; "" at the end of the stream. Waits without a limit.
  boost::asio::awaitable<base::Result<std::string>> read(std::size_t most);
  // Returns when the kernel has all bytes. Waits without a limit.
  boost::asio::awaitable<base::Result<bool>> write(std::string bytes);
  // The peer sees the end of what we send. It may go on sending.
  void end_output();
  // Ends the waits of read() and write(), and all later calls.
  void close();

 private:
  std::unique_ptr<State> state_;
};

// The result of an upgrade: the stream, or the response that rejects it.
struct ByteStreamReply {
  std::unique_ptr<ByteStream> stream;
  Response rejection;  // if there is no stream
};

// Adds "Upgrade: tcp", as Docker's engine expects it. Runs on the caller's io_context.
boost::asio::awaitable<base::Result<ByteStreamReply>> open_byte_stream(Endpoint endpoint, Request request,
                                                                       base::Duration deadline);

}  // namespace http
