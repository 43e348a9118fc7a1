// SPDX-License-Identifier: Apache-2.0
// A WebSocket after its handshake, the same for both sides: one coroutine reads frames, one
// writes them, and whoever uses it meets them in between. Private to http.
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

// What a handshake leaves.
struct Upgraded {
  std::shared_ptr<boost::asio::ssl::context> tls;  // where nobody else keeps the stream's
  std::unique_ptr<Stream> stream;
  std::string early;  // read already, behind the handshake
  Role role = Role::Server;
  WebSocketLimits limits;
  base::Duration write_patience;  // for the peer to take one step of what is sent
  base::Duration close_patience;  // for the peer to answer a close frame
};

// Everything but send() and close() belongs to the connection's thread.
class WebSocketSession : public std::enable_shared_from_this<WebSocketSession> {
 public:
  // Shared: with its coroutines, which end soon after it is closed.
  using Ptr = std::shared_ptr<WebSocketSession>;

  static Ptr start(boost::asio::any_io_executor executor, Upgraded upgraded);
  WebSocketSession(boost::asio::any_io_executor executor, const Upgraded& upgraded);

  // For its user, once; closes it when the last copy is gone.
  std::shared_ptr<WebSocket> handle();

  static boost::asio::awaitable<base::Result<std::string>> read(Ptr self, base::Duration deadline);
  bool send(std::string text);
  void close();

  // For a server that ends: says so to the peer, and waits no longer than close_patience for it.
  void go_away();
  // Breaks off at once, without a word.
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
    bool awake = true;    // the writer looks here again by itself
    bool closed = false;  // a close frame is the last, or nothing can be sent any more
  };
  enum class Put { Queued, Closed, Full };

  static boost::asio::awaitable<void> run(Ptr self, std::unique_ptr<Line> line);
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

  Line* line_ = nullptr;              // run()'s; null before it and once it has ended
  std::optional<std::string> inbox_;  // one message: the peer waits until it is taken
  std::optional<std::string> over_;   // why read() has nothing more to give
  Clock::time_point heard_ = Clock::now();
  Clock::time_point write_end_ = Clock::time_point::max(), close_end_ = Clock::time_point::max();
  bool peer_closed_ = false;  // its close frame came
  bool discarding_ = false;   // after a violation nothing that comes means anything
  bool broken_ = false;       // the stream is closed
  bool reader_done_ = false;
};

}  // namespace http
