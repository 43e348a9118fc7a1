// SPDX-License-Identifier: Apache-2.0
// One client's connection: reads heads, calls the handler and writes responses, in
// order, until either side ends it. Belongs to one thread.
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

// Shared by the connections of one thread and their Lane.
struct Surroundings {
  const Handler& handler;
  const Limits& limits;
  const std::atomic<bool>& draining;
  // The time of the last tick: reading the clock for each wait would cost too much.
  const std::chrono::steady_clock::time_point& now;
  BodyBudget &bodies, &account_bodies;
};

// The client, as far as the socket shows it.
struct Peer {
  std::string name;  // "127.0.0.1:5555", or "unix"
  bool secure = false;
  Admission::Place place;
};

class Connection {
 public:
  Connection(Surroundings around, std::unique_ptr<Stream> stream, Peer peer);
  ~Connection();

  boost::asio::awaitable<void> run();

  // Called by the tick, on the connection's thread.
  void end_overdue_wait(std::chrono::steady_clock::time_point now);
  // Called by drain(), on the connection's thread: ends the wait for a next request, if
  // the connection is idle.
  void end_idle_wait();
  // Called when the server ends, on the connection's thread.
  void end_websocket();

  // For Exchange.
  const RequestHead& head() { return parser_.head(); }
  const std::string& peer() const { return peer_.name; }
  bool secure() const { return peer_.secure; }
  void set_account(const std::string& account);
  std::string set_client(const std::string& account);
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
  boost::asio::awaitable<bool> write_response(Response response, bool rejected);
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

  ResponseForm form_of(const Response& response, bool rejected);
  void start_body();
  void require_memory(std::size_t body_bytes);
  Response if_there_is_memory(Response response);
  std::string refusal() const;
  void check_continue(std::size_t limit);
  bool body_done() const;
  bool can_skip_body() const;
  std::string_view buffered() const;

  Surroundings around_;
  std::unique_ptr<Stream> stream_;  // null once the WebSocket owns it
  WebSocketSession::Ptr websocket_;
  Peer peer_;
  BodyBudget::Loan body_loan_, account_loan_;  // of the request until it is verified; then, and of the response

  RequestParser parser_;
  boost::beast::flat_buffer buffer_;  // read, but not consumed yet
  std::string out_;                   // the response being written; kept to reuse its memory

  Deadline deadline_ = Deadline::max();   // of the current wait
  bool idle_ = false;                     // waits for a request's first byte
  bool broken_ = false;                   // the stream failed: nothing more can be sent
  std::uint64_t body_left_ = 0;           // of a body with a Content-Length
  std::size_t whole_body_ = 0;            // read by read_body()
  bool body_failed_ = false;              // the rest of the body will not arrive
  bool unread_ = false;                   // bytes of a rejected request may still arrive
  std::optional<ResponseForm> streamed_;  // of a response whose head is sent and whose body follows
  bool cut_short_ = false;                // the handler threw: do not send the end of the body
  bool owes_continue_ = false;            // the client waits for "100 Continue"
  bool verified_ = false;                 // the signature of this request
  std::string account_;                   // of the last verified request
  bool known_ = false;                    // a request of this connection had a valid signature
  bool refused_ = false;                  // the account has too many connections: this one closes
};

}  // namespace http
