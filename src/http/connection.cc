// SPDX-License-Identifier: Apache-2.0
#include "http/connection.h"

#include <algorithm>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include "base/check.h"
#include "base/log.h"
#include "http/date.h"
#include "http/part_opener.h"
#include "http/websocket_handshake.h"

namespace http {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kHeadReadBytes = 8 * 1024;
constexpr std::size_t kReadBytes = 64 * 1024;
// A piece of a body: large enough to make the cost per piece small, and small enough to stay in
// the processor's cache while it is handled.
constexpr std::size_t kPieceBytes = 256 * 1024;
// Shorter responses are copied into one buffer; for longer ones copying costs more than
// a second buffer in the write.
constexpr std::size_t kJoinBytes = 16 * 1024;
// The client has limits.write to receive each step of a long response.
constexpr std::size_t kWriteStepBytes = 1024 * 1024;

constexpr char kNoMemory[] = "Too many request bodies arrive at this time. Please reduce your request rate.";
constexpr char kNoAccountMemory[] =
    "The account's requests, and responses that it does not read, use as much memory as they may. Please reduce your "
    "request rate.";
// Shorter responses are not counted: connections have a limit of their own.
constexpr std::size_t kFreeResponseBytes = 64 * 1024;
constexpr std::string_view kLastChunk = "0\r\n\r\n";
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// Errors of the connection, as opposed to those of the file that is sent.
bool is_peers(const error_code& error) {
  namespace errc = boost::system::errc;
  return error == asio::error::operation_aborted || error == errc::broken_pipe || error == errc::connection_reset ||
         error == errc::timed_out || error == errc::not_connected;
}

bool takes_no_body(const Response& response, bool head_only) { return head_only || !has_body(response.status); }

}  // namespace

Connection::Connection(Surroundings around, std::unique_ptr<Stream> stream, Peer peer)
    : around_(around),
      stream_(std::move(stream)),
      peer_(std::move(peer)),
      body_loan_(around.bodies, peer_.place.address()),
      account_loan_(around.account_bodies, ""),
      parser_(around.limits.head_bytes) {}

Connection::~Connection() {
  if (websocket_) websocket_->break_off("the handler failed");
}

void Connection::end_overdue_wait(Deadline now) {
  // Repeated at each tick until the wait has ended: a cancellation between two steps of a
  // write has no effect.
  if (now >= deadline_) stream_->cancel();
}

void Connection::end_idle_wait() {
  if (idle_) stream_->cancel();
}

void Connection::end_websocket() {
  if (websocket_) websocket_->go_away();
}

asio::awaitable<void> Connection::run() {
  error_code error;
  deadline_ = around_.now + around_.limits.head;
  co_await stream_->handshake(error);
  if (error) co_return;
  for (bool open = true; open;) {
    bool ready = false, rejected = false;
    Response response;
    try {
      ready = co_await read_head();
    } catch (const Failure& failure) {
      rejected = true;
      response = text_response(failure.status(), failure.what());
    }
    if (!ready && !rejected) break;
    if (ready) {
      response = co_await call_handler();
    }
    if (websocket_) {
      websocket_->close();
      // Also after a cancellation: the session ends by itself soon.
      const auto not_again = asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
      co_await not_again;
      co_await WebSocketSession::wait_for_end(websocket_);
      co_return;
    }
    response = if_there_is_memory(std::move(response));
    open = co_await write_response(std::move(response), rejected);
    account_loan_.release();
    if (rejected) unread_ = true;
    // A client that sends many requests at once would block other connections of this thread.
    if (open && buffer_.size() > 0) {
      asio::any_io_executor executor = co_await asio::this_coro::executor;
      co_await asio::post(executor, asio::use_awaitable);
    }
  }
  if (!broken_) {
    co_await close();
  }
}

// False at the end of the connection. Throws Failure for an invalid request.
asio::awaitable<bool> Connection::read_head() {
  bool skipped = co_await skip_unread_body();
  if (!skipped) co_return false;
  Deadline head_deadline = Deadline::max();
  for (;;) {
    if (buffer_.size() > 0) {
      std::size_t used = parser_.parse_head(buffered());
      if (used > 0) {
        buffer_.consume(used);
        start_body();
        co_return true;
      }
      if (head_deadline == Deadline::max()) head_deadline = around_.now + around_.limits.head;
    }
    bool begun = buffer_.size() > 0;
    if (!begun && around_.draining) co_return false;
    idle_ = !begun;
    error_code error;
    base::Duration patience = around_.limits.idle;
    if (!known_) patience = std::min(patience, around_.limits.unknown_idle);
    if (begun) patience = std::chrono::duration_cast<base::Duration>(head_deadline - around_.now);
    co_await fill(kHeadReadBytes, patience, error);
    idle_ = false;
    bool overdue = error == asio::error::operation_aborted;
    if (overdue && begun) throw Failure(408, "The request's head did not arrive in time.");
    if (error && !overdue) broken_ = true;
    if (error) co_return false;
  }
}

void Connection::start_body() {
  body_left_ = parser_.content_length();
  whole_body_ = 0;
  body_failed_ = verified_ = false;
  owes_continue_ = parser_.expects_continue();
}

bool Connection::body_done() const { return parser_.chunked() ? parser_.chunks_done() : body_left_ == 0; }

asio::awaitable<Response> Connection::call_handler() {
  deadline_ = Deadline::max();
  // A handler may wait for long.
  if (buffer_.size() == 0) buffer_.shrink_to_fit();
  Exchange exchange(*this);
  try {
    Response response = co_await around_.handler(exchange);
    body_loan_.release();
    if (response.status < 200 || response.status > 999) response = text_response(500, "Internal Server Error");
    co_return response;
  } catch (const Failure& failure) {
    cut_short_ = streamed_.has_value();
    body_loan_.release();
    co_return text_response(failure.status(), failure.what());
  } catch (const std::exception& error) {
    cut_short_ = streamed_.has_value();
    body_loan_.release();
    base::log_error("request handler threw", {{"error", error.what()}, {"peer", peer()}, {"method", head().method}});
    co_return text_response(500, "Internal Server Error");
  }
}

// A rejected request has no valid head: its response has a body and closes.
ResponseForm Connection::form_of(const Response& response, bool rejected) {
  ResponseForm form;
  form.head_only = !rejected && head().method == "HEAD";
  form.close = rejected || refused_ || around_.draining || !parser_.keep_alive() || !can_skip_body() ||
               base::equals_ignoring_case(response.headers.get("Connection"), "close");
  form.http11 = !rejected && parser_.http11();
  return form;
}

// True if the connection stays open.
asio::awaitable<bool> Connection::write_response(Response response, bool rejected) {
  if (broken_) co_return false;
  if (streamed_) {
    bool open = co_await end_streamed();
    co_return open;
  }
  ResponseForm form = form_of(response, rejected);
  out_.clear();
  write_head(response, form, current_date(), out_);
  std::size_t next = 0;
  // Parts in memory are sent with the head in one write.
  if (response.body.empty() && !response.parts.empty() && response.parts.front().in_memory()) {
    response.body = std::move(response.parts[next++].bytes);
  }
  bool bodiless = takes_no_body(response, form.head_only);
  bool joined = !bodiless && response.body.size() <= kJoinBytes;
  if (joined) out_ += response.body;
  Pieces pieces = {asio::buffer(out_), asio::const_buffer()};
  if (!bodiless && !joined) pieces[1] = asio::buffer(response.body);
  error_code error;
  const bool more = !bodiless && next < response.parts.size() && response.parts[next].size() > 0;
  co_await write_all(pieces, error, more);
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  for (; next < response.parts.size() && !bodiless && !error; ++next) {
    if (next > 0) {
      co_await asio::post(executor, asio::use_awaitable);  // to be fair to others, as write_part() is
    }
    BodyPart part = std::move(response.parts[next]);  // closes its file when it has been sent
    co_await write_part(std::move(part), response.opener.get(), error);
  }
  if (error) broken_ = true;
  co_return !error && !form.close;
}

asio::awaitable<void> Connection::write_part(BodyPart part, const PartOpener* opener, error_code& error) {
  if (part.in_memory()) {
    Pieces pieces = {asio::buffer(part.bytes), asio::const_buffer()};
    co_await write_all(pieces, error);
    co_return;
  }
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  try {
    if (!part.file) {
      part.file = co_await opener->open(part.name);
      if (!part.file) throw std::runtime_error(part.name + " was deleted in the meantime");
    }
    part.file->announce_reading(part.offset, part.length);
    for (std::uint64_t done = 0; done < part.length && !error;) {
      const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(part.length - done, kWriteStepBytes));
      deadline_ = around_.now + around_.limits.write + around_.limits.tick;
      co_await stream_->send_file(*part.file, part.offset + done, step, error);
      done += step;
      // A client that reads as fast as we send would block other connections of this thread.
      if (done < part.length) {
        co_await asio::post(executor, asio::use_awaitable);
      }
    }
    if (error && !is_peers(error)) base::log_error("response cut short", {{"error", error.message()}, {"peer", peer()}});
  } catch (const boost::system::system_error&) {
    throw;  // cancelled
  } catch (const std::exception& failure) {
    base::log_error("response cut short", {{"error", failure.what()}, {"peer", peer()}});
    error = asio::error::broken_pipe;  // Content-Length is sent: only closing shows that bytes are missing
  }
  deadline_ = Deadline::max();
}

asio::awaitable<void> Connection::write_all(Pieces pieces, error_code& error, bool more) {
  error = {};
  std::size_t written = stream_->try_write(pieces, more);
  for (asio::const_buffer& piece : pieces) {
    std::size_t part = std::min(written, piece.size());
    piece += part;
    written -= part;
  }
  for (asio::const_buffer& piece : pieces) {
    while (piece.size() > 0 && !error) {
      asio::const_buffer step = asio::buffer(piece, kWriteStepBytes);
      deadline_ = around_.now + around_.limits.write + around_.limits.tick;
      co_await stream_->write(step, error);
      piece += step.size();
    }
  }
  deadline_ = Deadline::max();
}

// Closing a socket with unread bytes resets the connection, and the client may then never
// read the response. So end our side first, and keep reading for a moment.
asio::awaitable<void> Connection::close() {
  bool lingers = unread_ || !body_done() || buffer_.size() > 0;
  Deadline last = around_.now + (lingers ? around_.limits.linger : base::Duration(0));
  deadline_ = last;
  error_code error;
  co_await stream_->shut_down(error);
  while (!error && around_.now < last) {
    buffer_.clear();
    base::Duration patience = std::chrono::duration_cast<base::Duration>(last - around_.now);
    co_await fill(kReadBytes, patience, error);
  }
}

asio::awaitable<std::size_t> Connection::read_some(asio::mutable_buffer into, base::Duration patience,
                                                   error_code& error) {
  deadline_ = around_.now + patience + around_.limits.tick;
  return stream_->read_some(into, error);
}

asio::awaitable<std::size_t> Connection::fill(std::size_t most, base::Duration patience, error_code& error) {
  asio::mutable_buffer room = buffer_.prepare(most);
  std::size_t got = co_await read_some(room, patience, error);
  buffer_.commit(got);
  co_return got;
}

// Also for an empty body: botocore waits for it.
asio::awaitable<void> Connection::send_continue() {
  owes_continue_ = false;
  if (buffer_.size() > 0) co_return;  // the client did not wait
  error_code error;
  Pieces pieces = {asio::buffer(kContinue), asio::const_buffer()};
  co_await write_all(pieces, error);
}

// Appends the available bytes of the body, at most kPieceBytes. Does not read into the next
// request.
asio::awaitable<void> Connection::append_piece(std::string& body) {
  error_code error;
  if (parser_.chunked()) {
    co_await append_chunks(body, error);
  } else {
    co_await append_plain(body, error);
  }
  if (!error) co_return;
  body_failed_ = true;
  if (error == asio::error::operation_aborted) throw Failure(408, "The request's body did not arrive in time.");
  broken_ = true;
  throw Failure(400, "The client disconnected before the end of the body.");
}

// Reads directly into the string, which grows in steps, so that memory depends on the received
// bytes and not on the announced Content-Length.
asio::awaitable<void> Connection::append_plain(std::string& body, error_code& error) {
  const auto waiting = static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size(), body_left_));
  body.append(buffered().substr(0, waiting));
  buffer_.consume(waiting);
  body_left_ -= waiting;
  std::size_t filled = body.size(), step = kReadBytes;
  const std::size_t end = filled + static_cast<std::size_t>(std::min<std::uint64_t>(body_left_, kPieceBytes));
  bool more = waiting == 0 || stream_->more_is_there();
  while (more && filled < end && !error) {
    if (filled == body.size()) {
      body.resize(std::min(filled + step, end));
      step = kPieceBytes;
    }
    asio::mutable_buffer room = asio::buffer(body) + filled;
    const std::size_t got = co_await read_some(room, around_.limits.body_progress, error);
    filled += got;
    body_left_ -= got;
    more = stream_->more_is_there();
  }
  body.resize(filled);
}

asio::awaitable<void> Connection::append_chunks(std::string& body, error_code& error) {
  const std::size_t before = body.size();
  while (!error) {
    buffer_.consume(parser_.parse_chunks(buffered(), body));
    const std::size_t taken = body.size() - before;
    if (parser_.chunks_done() || taken >= kPieceBytes || (taken > 0 && !stream_->more_is_there())) break;
    co_await fill(kReadBytes, around_.limits.body_progress, error);
  }
}

void Connection::require_memory(std::size_t body_bytes) {
  if (!verified_ && !body_loan_.cover(body_bytes)) throw Failure(503, kNoMemory);
}

// The request's own memory is free by now. A response that is sent in pieces has no body here.
Response Connection::if_there_is_memory(Response response) {
  account_loan_.release();
  if (response.body.size() <= kFreeResponseBytes || account_loan_.cover(response.body.size())) return response;
  return text_response(503, kNoAccountMemory);
}

// A client that waits for "100 Continue" has not sent the body yet: it is rejected before it does.
void Connection::check_continue(std::size_t limit) {
  const std::uint64_t expected = std::min<std::uint64_t>(parser_.chunked() ? kPieceBytes : body_left_, limit);
  if (!verified_ && !body_loan_.could_cover(static_cast<std::size_t>(expected))) throw Failure(503, kNoMemory);
}

void Connection::set_account(const std::string& account) {
  verified_ = true;
  body_loan_.release();
  account_ = account;
  // It gets its place when it is accepted.
  if (base::equals_ignoring_case(head().headers.get("Upgrade"), "websocket")) return;
  known_ = true;
  refused_ = !peer_.place.set_account(account);
  account_loan_.set_owner(account);
  if (!refused_ && !account_loan_.cover(whole_body_)) throw Failure(503, kNoAccountMemory);
  if (refused_) throw Failure(peer_.place.account_is_full() ? 429 : 503, refusal());
}

std::string Connection::set_client(const std::string& account) {
  return peer_.place.set_account(account) ? "" : refusal();
}

std::string Connection::refusal() const {
  if (!peer_.place.account_is_full()) return "Too many connections are open. Use fewer connections.";
  return "The account has as many connections as one account may have. Use fewer connections.";
}

asio::awaitable<std::string> Connection::read_body(std::size_t limit) {
  std::string body;
  if (body_left_ > limit) throw Failure(413, "The body is larger than " + std::to_string(limit) + " bytes.");
  if (owes_continue_) {
    check_continue(limit);
    co_await send_continue();
  }
  while (!body_done()) {
    const std::uint64_t expected = parser_.chunked() ? kPieceBytes : body_left_;
    require_memory(body.size() + static_cast<std::size_t>(std::min<std::uint64_t>(expected, kPieceBytes)));
    co_await append_piece(body);
    if (body.size() > limit) throw Failure(413, "The body is larger than " + std::to_string(limit) + " bytes.");
  }
  deadline_ = Deadline::max();
  whole_body_ = body.size();
  if (verified_ && !account_loan_.cover(whole_body_)) throw Failure(503, kNoAccountMemory);
  co_return body;
}

asio::awaitable<std::string> Connection::read_piece() {
  std::string piece;
  if (owes_continue_) {
    check_continue(kPieceBytes);
    co_await send_continue();
  }
  if (!body_done()) {
    const std::uint64_t expected = parser_.chunked() ? kPieceBytes : body_left_;
    require_memory(static_cast<std::size_t>(std::min<std::uint64_t>(expected, kPieceBytes)));
    piece.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(parser_.chunked() ? 0 : body_left_, kPieceBytes)));
    co_await append_piece(piece);
  }
  deadline_ = Deadline::max();
  co_return piece;
}

// Whether the unread rest of a body is short enough to skip. A client that waits for "100 Continue"
// may or may not send it: the server cannot find out. And botocore, if it gets a response without one,
// misreads what follows on that connection even if the body was empty.
bool Connection::can_skip_body() const {
  if (owes_continue_) return false;
  if (body_done()) return true;
  return !body_failed_ && !parser_.chunked() && body_left_ <= around_.limits.unread_body_bytes;
}

asio::awaitable<bool> Connection::skip_unread_body() {
  std::string piece;
  while (body_left_ > 0) {
    piece.clear();
    try {
      co_await append_piece(piece);
    } catch (const Failure&) {
      co_return false;
    }
  }
  co_return true;
}

std::string_view Connection::buffered() const {
  return std::string_view(static_cast<const char*>(buffer_.data().data()), buffer_.size());
}

asio::awaitable<std::shared_ptr<WebSocket>> Connection::accept_websocket(WebSocketLimits limits) {
  CHECK(!streamed_ && !websocket_) << "upgrade after a response";
  std::string key = check_upgrade(head(), parser_.http11());
  if (around_.draining) throw Failure(503, "The server is shutting down.");
  if (!body_done()) throw Failure(400, "A WebSocket request must not have a body.");
  // Without a valid signature it stays one of the unknown connections until Exchange::set_client.
  refused_ = verified_ && !peer_.place.set_agent(account_);
  if (refused_) {
    const bool full = peer_.place.account_is_full();
    throw Failure(503, full ? "The account has as many connections as one account may have." : "Too many connections are open.");
  }
  out_ = switching_protocols(key);
  Pieces pieces = {asio::buffer(out_), asio::const_buffer()};
  co_await write_or_throw(pieces);
  Upgraded upgraded;
  upgraded.stream = std::move(stream_);
  upgraded.early = std::string(buffered());
  buffer_.clear();
  buffer_.shrink_to_fit();  // the WebSocket may live for days
  upgraded.role = Role::Server;
  upgraded.limits = limits;
  upgraded.write_patience = limits.write_patience.value_or(around_.limits.write);
  upgraded.close_patience = around_.limits.linger;
  asio::any_io_executor executor = upgraded.stream->socket().get_executor();
  websocket_ = WebSocketSession::start(executor, std::move(upgraded));
  co_return websocket_->handle();
}

asio::awaitable<void> Connection::start(Response head) {
  CHECK(!streamed_ && !websocket_) << "second response to a request";
  CHECK(head.parts.empty()) << "a streamed response has parts";
  CHECK(head.status >= 200 && head.status <= 999) << "invalid status: " << head.status;
  ResponseForm form = form_of(head, false);
  form.streamed = true;
  form.close = form.close || !form.http11;
  out_.clear();
  write_head(head, form, current_date(), out_);
  form.head_only = takes_no_body(head, form.head_only);
  streamed_ = form;
  co_await write_streamed(std::move(head.body));
}

asio::awaitable<void> Connection::write_piece(std::string piece) {
  CHECK(streamed_) << "a piece without start()";
  out_.clear();
  co_await write_streamed(std::move(piece));
}

// Writes out_ and the piece. An empty chunk would end the body.
asio::awaitable<void> Connection::write_streamed(std::string piece) {
  if (streamed_->head_only) piece.clear();
  if (!piece.empty() && streamed_->http11) {
    write_chunk_size(piece.size(), out_);
    piece += "\r\n";
  }
  Pieces pieces = {asio::buffer(out_), asio::buffer(piece)};
  co_await write_or_throw(pieces);
}

asio::awaitable<bool> Connection::end_streamed() {
  ResponseForm form = *streamed_;
  streamed_.reset();
  // Without the last chunk a client notices that bytes are missing.
  if (cut_short_) co_return false;
  error_code error;
  if (form.http11 && !form.head_only) {
    Pieces pieces = {asio::buffer(kLastChunk), asio::const_buffer()};
    co_await write_all(pieces, error);
  }
  if (error) broken_ = true;
  co_return !error && !form.close && can_skip_body();
}

asio::awaitable<void> Connection::write_or_throw(Pieces pieces) {
  error_code error;
  co_await write_all(pieces, error);
  if (!error) co_return;
  broken_ = true;
  throw Failure(400, "The client disconnected before the end of the response.");
}

const RequestHead& Exchange::head() const { return connection_.head(); }
const std::string& Exchange::peer() const { return connection_.peer(); }
bool Exchange::secure() const { return connection_.secure(); }
void Exchange::set_account(const std::string& account) { connection_.set_account(account); }
std::string Exchange::set_client(const std::string& account) { return connection_.set_client(account); }
bool Exchange::peer_gone() const { return connection_.peer_gone(); }
asio::awaitable<std::string> Exchange::read_body(std::size_t limit) { return connection_.read_body(limit); }
asio::awaitable<std::string> Exchange::read_piece() { return connection_.read_piece(); }

asio::awaitable<void> Exchange::start(Response head) { return connection_.start(std::move(head)); }
asio::awaitable<void> Exchange::write_piece(std::string piece) { return connection_.write_piece(std::move(piece)); }
asio::awaitable<std::shared_ptr<WebSocket>> Exchange::accept_websocket(WebSocketLimits limits) {
  return connection_.accept_websocket(limits);
}

}  // namespace http
