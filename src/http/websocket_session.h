// SPDX-License-Identifier: Apache-2.0
// A WebSocket after its handshake, for both sides: one coroutine reads frames, one writes
// them, with an inbox and an outbox for the user. Private to http.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/guarded.h"
#include "http/stream.h"
#include "http/websocket.h"
#include "http/websocket_frame.h"

namespace http {

// The result of a handshake.
struct Upgraded {
  std::shared_ptr<boost::asio::ssl::context> tls;  // the stream's, if no one else keeps it alive
  std::unique_ptr<Stream> stream;
  std::string early;  // bytes received after the handshake
  Role role = Role::Server;
  WebSocketLimits limits;
  base::Duration write_patience;  // for the peer to receive one step of a message
  base::Duration close_patience;  // for the peer to respond to a close frame
};

// Everything but send() and close() belongs to the connection's thread.
class WebSocketSession : public std::enable_shared_from_this<WebSocketSession> {
 public:
  // Shared with its coroutines, which end soon after it is closed.
  using Ptr = std::shared_ptr<WebSocketSession>;

  static Ptr start(boost::asio::any_io_executor executor, Upgraded upgraded);
  WebSocketSession(boost::asio::any_io_executor executor, const Upgraded& upgraded);

  // For the user; call once. The connection closes when the last copy is destroyed.
  std::shared_ptr<WebSocket> handle();

  static boost::asio::awaitable<base::Result<std::string>> read(Ptr self, base::Duration deadline);
  bool send(Opcode opcode, std::string_view payload);
  static boost::asio::awaitable<void> wait_for_room(Ptr self, std::size_t bytes);
  void close();

  // Called when the server ends: notifies the peer and waits for at most close_patience.
  void go_away();
  // Closes the stream at once, without a close frame.
  void break_off(const std::string& why);
  bool ended() const { return line_ == nullptr; }
  static boost::asio::awaitable<void> wait_for_end(Ptr self);

 private:
  using Clock = std::chrono::steady_clock;
  struct Line;
  struct Ending;

  // Frames that wait for the writing coroutine.
  struct Outbox {
    std::string pending;
    std::size_t writing_bytes = 0;
    bool awake = true;    // the writer will check again by itself
    bool closed = false;  // a close frame is queued, or nothing can be sent any more
  };
  enum class Put { Queued, Closed, Full };

  static boost::asio::awaitable<void> run(Ptr self, std::shared_ptr<Line> line);
  static boost::asio::awaitable<void> read_frames(Ptr self, Line& line);
  boost::asio::awaitable<void> take_in(Line& line, FrameParser& parser, std::string_view input);
  boost::asio::awaitable<void> write_queue(Line& line);
  boost::asio::awaitable<void> write_all(Line& line, std::string_view bytes, error_code& error);

  Put put(Opcode opcode, std::string_view payload);
  bool put_close(CloseCode code, std::string_view reason);
  bool take_pending(std::string& into);
  void wake_writer();
  void stop_reading(const std::string& why);
  void watch();

  const boost::asio::any_io_executor executor_;
  const Role role_;
  const WebSocketLimits limits_;
  const base::Duration write_patience_, close_patience_;
  base::Guarded<Outbox> outbox_;

  Line* line_ = nullptr;              // owned by run(); null before and after it
  std::optional<std::string> inbox_;  // one message: no more is read until the user takes it
  std::optional<std::string> over_;   // why read() has no more messages
  Clock::time_point heard_ = Clock::now();
  Clock::time_point write_end_ = Clock::time_point::max(), close_end_ = Clock::time_point::max();
  bool peer_closed_ = false;  // the peer's close frame arrived
  bool discarding_ = false;   // after a violation all input is discarded
  bool broken_ = false;       // the stream is closed
  bool reader_done_ = false;
};

}  // namespace http
