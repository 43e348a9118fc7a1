// SPDX-License-Identifier: Apache-2.0
// One client's connection: reads heads, hands them to the handler, writes answers,
// in order, until either side ends it. Lives on one thread.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "http/request_parser.h"
#include "http/server.h"
#include "http/stream.h"
#include "http/websocket_session.h"
#include "http/writer.h"

namespace http {

// What the connections of one thread share with whoever looks after them.
struct Surroundings {
  const Handler& handler;
  const Limits& limits;
  const std::atomic<bool>& draining;
  // As of the last tick: reading the clock for each wait would cost more than it tells.
  const std::chrono::steady_clock::time_point& now;
};

class Connection {
 public:
  Connection(Surroundings around, std::unique_ptr<Stream> stream, std::string peer, bool secure);
  ~Connection();

  boost::asio::awaitable<void> run();

  // For the tick, on the connection's thread.
  void end_overdue_wait(std::chrono::steady_clock::time_point now);
  // For drain(), on the connection's thread: ends the wait for a next request, if
  // that is what it waits for.
  void end_idle_wait();
  // For a server that ends, on the connection's thread.
  void end_websocket();

  // For Exchange.
  const RequestHead& head() { return parser_.head(); }
  const std::string& peer() const { return peer_; }
  bool secure() const { return secure_; }
  bool peer_gone() { return websocket_ ? websocket_->ended() : stream_->peer_gone(); }
  boost::asio::awaitable<std::string> read_body(std::size_t limit);
  boost::asio::awaitable<std::string> read_piece();
  boost::asio::awaitable<void> start(Response head);
  boost::asio::awaitable<void> write_piece(std::string piece);
  boost::asio::awaitable<std::shared_ptr<WebSocket>> accept_websocket(WebSocketLimits limits);

 private:
  using Deadline = std::chrono::steady_clock::time_point;

  boost::asio::awaitable<bool> read_head();
  boost::asio::awaitable<Response> call_handler();
  boost::asio::awaitable<bool> write_answer(Response response, bool refused);
  boost::asio::awaitable<void> write_part(BodyPart part, const PartOpener* opener, error_code& error);
  boost::asio::awaitable<void> write_all(Pieces pieces, error_code& error, bool more = false);
  boost::asio::awaitable<void> write_or_throw(Pieces pieces);
  boost::asio::awaitable<void> write_streamed(std::string piece);
  boost::asio::awaitable<bool> end_streamed();
  boost::asio::awaitable<void> close();
  boost::asio::awaitable<void> send_continue();
  boost::asio::awaitable<std::size_t> read_some(boost::asio::mutable_buffer into, base::Duration patience,
                                                error_code& error);
  boost::asio::awaitable<std::size_t> fill(std::size_t most, base::Duration patience, error_code& error);
  boost::asio::awaitable<void> append_piece(std::string& body);
  boost::asio::awaitable<void> append_plain(std::string& body, error_code& error);
  boost::asio::awaitable<void> append_chunks(std::string& body, error_code& error);
  boost::asio::awaitable<bool> skip_unread_body();

  AnswerForm form_of(const Response& response, bool refused);
  void start_body();
  bool body_done() const;
  bool can_skip_body() const;
  std::string_view buffered() const;

  Surroundings around_;
  std::unique_ptr<Stream> stream_;  // until the WebSocket has it
  WebSocketSession::Ptr websocket_;
  std::string peer_;
  bool secure_;

  RequestParser parser_;
  boost::beast::flat_buffer buffer_;  // read, but not used yet
  std::string out_;                   // an answer on its way; kept for its memory

  Deadline deadline_ = Deadline::max();  // when what is waited for now is overdue
  bool idle_ = false;                    // waits for a request's first byte
  bool broken_ = false;                  // the stream failed: nothing more can be said on it
  std::uint64_t body_left_ = 0;          // of a body with a Content-Length
  bool body_failed_ = false;             // the rest of it will not come
  bool unread_ = false;                  // bytes of a refused request may still come
  std::optional<AnswerForm> streamed_;   // of an answer whose head is out, and whose body follows
  bool cut_short_ = false;               // its handler threw: its end is not to be said
  bool owes_continue_ = false;           // the client holds its body back until told to go on
};

}  // namespace http
