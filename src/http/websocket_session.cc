// SPDX-License-Identifier: Apache-2.0
#include "http/websocket_session.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>

#include "base/log.h"
#include "base/utf8.h"
#include "http/link.h"

namespace http {
namespace {

namespace asio = boost::asio;
using Timer = asio::steady_timer;

constexpr std::size_t kFrameReadBytes = 16 * 1024;
// The peer has write_patience to receive each step of a long message.
constexpr std::size_t kFrameWriteStepBytes = 1024 * 1024;
const std::string kClosedHere = "closed by this side";

// Waits until the timer is cancelled.
asio::awaitable<void> wait_on(Timer& timer) {
  error_code cancelled;
  timer.expires_at(Timer::time_point::max());
  co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
}

void log_failure(std::exception_ptr failure) {
  if (!failure) return;
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    base::log_error("websocket failed", {{"error", error.what()}});
  }
}

std::string describe(const Incoming& close) {
  std::string text = "closed by the peer";
  if (close.code != CloseCode::None) text += ": " + std::to_string(static_cast<int>(close.code));
  if (!close.payload.empty()) text += " " + base::to_printable(close.payload);
  return text;
}

// The user's handle. The coroutines also keep the session alive, so its own reference count
// does not show when the user is gone.
class Handle final : public WebSocket {
 public:
  explicit Handle(WebSocketSession::Ptr session) : session_(std::move(session)) {}
  ~Handle() override { session_->close(); }

  asio::awaitable<base::Result<std::string>> read(base::Duration deadline) override {
    return WebSocketSession::read(session_, deadline);
  }
  bool send(std::string text) override { return session_->send(Opcode::Text, text); }
  bool send_binary(std::string bytes) override { return session_->send(Opcode::Binary, bytes); }
  bool ping() override { return session_->send(Opcode::Ping, ""); }
  asio::awaitable<void> wait_for_room(std::size_t bytes) override {
    return WebSocketSession::wait_for_room(session_, bytes);
  }
  void close() override { session_->close(); }

 private:
  WebSocketSession::Ptr session_;
};

}  // namespace

// State that must not outlive the io_context, while a user may keep the session longer. A coroutine that waits on one of
// the timers holds the line until it resumes: until then its cancellation refers to the timer.
struct WebSocketSession::Line : std::enable_shared_from_this<Line> {
  Line(asio::any_io_executor executor, Upgraded upgraded)
      : tls(std::move(upgraded.tls)),
        stream(std::move(upgraded.stream)),
        early(std::move(upgraded.early)),
        outgoing(executor),
        arrival(executor),
        room(executor),
        written(executor),
        overdue(executor),
        ended(executor) {}

  std::shared_ptr<asio::ssl::context> tls;
  std::unique_ptr<Stream> stream;
  std::string early;
  Timer outgoing;  // the writer waits for frames, and then for the reader's end
  Timer arrival;   // read() waits for a message
  Timer room;      // the reader waits for the user to take its message
  Timer written;   // wait_for_room() waits for the writer
  Timer overdue;   // for write_end_ and close_end_
  Timer ended;     // wait_for_end()
};

// Runs at the end of run(), also if run() is destroyed with its io_context.
struct WebSocketSession::Ending {
  WebSocketSession& session;

  ~Ending() {
    session.outbox_.with([](Outbox& box) { box.closed = true; });
    if (!session.over_) session.over_ = "closed";
    session.line_ = nullptr;
  }
};

WebSocketSession::WebSocketSession(asio::any_io_executor executor, const Upgraded& upgraded)
    : executor_(std::move(executor)),
      role_(upgraded.role),
      limits_(upgraded.limits),
      write_patience_(upgraded.write_patience),
      close_patience_(upgraded.close_patience) {}

WebSocketSession::Ptr WebSocketSession::start(asio::any_io_executor executor, Upgraded upgraded) {
  auto session = std::make_shared<WebSocketSession>(executor, upgraded);
  auto line = std::make_shared<Line>(executor, std::move(upgraded));
  session->line_ = line.get();
  asio::co_spawn(executor, run(session, std::move(line)), log_failure);
  return session;
}

std::shared_ptr<WebSocket> WebSocketSession::handle() { return std::make_shared<Handle>(shared_from_this()); }

asio::awaitable<base::Result<std::string>> WebSocketSession::read(Ptr self, base::Duration deadline) {
  Clock::time_point started = Clock::now();
  for (;;) {
    if (self->inbox_) {
      std::string text = std::move(*self->inbox_);
      self->inbox_.reset();
      if (self->line_) self->line_->room.cancel();
      co_return text;
    }
    if (self->over_) co_return base::Error{*self->over_};
    Clock::time_point end = end_of(deadline, std::max(started, self->heard_));
    if (Clock::now() >= end) {
      self->break_off("nothing was received for " + std::to_string(deadline.count()) + " ms");
      continue;
    }
    const std::shared_ptr<Line> line = self->line_->shared_from_this();
    error_code cancelled;
    line->arrival.expires_at(end);
    co_await line->arrival.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
    asio::cancellation_state stopped = co_await asio::this_coro::cancellation_state;
    if (stopped.cancelled() != asio::cancellation_type::none) co_return base::Error{"the reader was stopped"};
  }
}

bool WebSocketSession::send(Opcode opcode, std::string_view payload) {
  Put result = put(opcode, payload);
  if (result == Put::Full) {
    asio::post(executor_, [self = shared_from_this()] { self->break_off("too many bytes wait to be sent"); });
  }
  return result == Put::Queued;
}

asio::awaitable<void> WebSocketSession::wait_for_room(Ptr self, std::size_t bytes) {
  while (self->line_ && !self->over_) {
    const bool full = self->outbox_.with([&](Outbox& box) { return box.pending.size() + box.writing_bytes > bytes; });
    if (!full) co_return;
    const std::shared_ptr<Line> line = self->line_->shared_from_this();
    co_await wait_on(line->written);
    asio::cancellation_state stopped = co_await asio::this_coro::cancellation_state;
    if (stopped.cancelled() != asio::cancellation_type::none) co_return;
  }
}

void WebSocketSession::close() {
  if (!put_close(CloseCode::Normal, "")) return;
  asio::post(executor_, [self = shared_from_this()] { self->stop_reading(kClosedHere); });
}

void WebSocketSession::go_away() {
  put_close(CloseCode::GoingAway, "going away");
  stop_reading("closed because the server is shutting down");
  close_end_ = std::min(close_end_, Clock::now() + close_patience_);
  watch();
}

void WebSocketSession::break_off(const std::string& why) {
  if (!over_) over_ = why;
  broken_ = true;
  outbox_.with([](Outbox& box) {
    box.closed = true;
    box.pending.clear();
  });
  if (!line_) return;
  error_code ignored;
  line_->stream->socket().close(ignored);
  line_->arrival.cancel();
  line_->room.cancel();
  line_->written.cancel();
  line_->outgoing.cancel();
}

asio::awaitable<void> WebSocketSession::wait_for_end(Ptr self) {
  while (self->line_) {
    const std::shared_ptr<Line> line = self->line_->shared_from_this();
    co_await wait_on(line->ended);
  }
}

// Queues a frame in the order of the calls, from any thread.
WebSocketSession::Put WebSocketSession::put(Opcode opcode, std::string_view payload) {
  std::string frame;
  append_frame(role_, opcode, payload, frame);
  bool wake = false;
  Put result = outbox_.with([&](Outbox& box) {
    if (box.closed) return Put::Closed;
    if (box.pending.size() + box.writing_bytes + frame.size() > limits_.queued_bytes) {
      box.closed = true;
      box.pending.clear();
      return Put::Full;
    }
    box.pending += frame;
    wake = !std::exchange(box.awake, true);
    return Put::Queued;
  });
  if (wake) wake_writer();
  return result;
}

// False if a close frame is already queued or the peer is gone.
bool WebSocketSession::put_close(CloseCode code, std::string_view reason) {
  bool wake = false;
  bool queued = outbox_.with([&](Outbox& box) {
    if (box.closed) return false;
    append_close(role_, code, reason, box.pending);
    box.closed = true;
    wake = !std::exchange(box.awake, true);
    return true;
  });
  if (wake) wake_writer();
  return queued;
}

void WebSocketSession::wake_writer() {
  asio::post(executor_, [self = shared_from_this()] {
    if (self->line_) self->line_->outgoing.cancel();
  });
}

// False at the end. True with an empty `into`: wait.
bool WebSocketSession::take_pending(std::string& into) {
  into.clear();
  return outbox_.with([&](Outbox& box) {
    std::swap(into, box.pending);
    box.writing_bytes = into.size();
    box.awake = !into.empty();
    return !into.empty() || !box.closed;
  });
}

void WebSocketSession::stop_reading(const std::string& why) {
  if (!over_) over_ = why;
  inbox_.reset();
  if (!line_) return;
  line_->arrival.cancel();
  line_->room.cancel();
  line_->written.cancel();
}

// Breaks off at the earlier of the two deadlines. Call it when one of them changes.
void WebSocketSession::watch() {
  if (!line_) return;
  Clock::time_point end = std::min(write_end_, close_end_);
  line_->overdue.expires_at(end);
  if (end == Clock::time_point::max()) return;
  line_->overdue.async_wait([weak = weak_from_this()](const error_code& cancelled) {
    Ptr self = weak.lock();
    if (cancelled || !self || !self->line_) return;
    if (Clock::now() >= std::min(self->write_end_, self->close_end_))
      self->break_off("the peer did not respond in time");
  });
}

asio::awaitable<void> WebSocketSession::run(Ptr self, std::shared_ptr<Line> line) {
  Ending ending{*self};
  asio::co_spawn(self->executor_, read_frames(self, *line), [self](std::exception_ptr failure) {
    log_failure(failure);
    self->reader_done_ = true;
    if (self->line_) self->line_->outgoing.cancel();
  });
  co_await self->write_queue(*line);
  self->close_end_ = std::min(self->close_end_, Clock::now() + self->close_patience_);
  self->watch();
  error_code error;
  // A peer that violated the protocol may never answer the close frame: end the connection at once.
  if (self->discarding_ && !self->broken_) line->stream->socket().shutdown(Socket::shutdown_send, error);
  while (!self->reader_done_) {
    co_await wait_on(line->outgoing);
  }
  if (self->peer_closed_ && !self->broken_) {
    co_await line->stream->shut_down(error);
  }
  self->break_off("closed");
  line->ended.cancel();
}

asio::awaitable<void> WebSocketSession::read_frames(Ptr self, Line& line) {
  FrameParser parser(self->role_, self->limits_.message_bytes, self->limits_.binary);
  std::string buffer(kFrameReadBytes, '\0');
  co_await self->take_in(line, parser, line.early);
  while (!self->peer_closed_) {
    error_code error;
    asio::mutable_buffer room = asio::buffer(buffer);
    std::size_t got = co_await line.stream->read_some(room, error);
    if (error) {
      self->break_off("the connection failed: " + error.message());
      break;
    }
    self->heard_ = Clock::now();
    std::string_view input = std::string_view(buffer).substr(0, got);
    co_await self->take_in(line, parser, input);
  }
}

asio::awaitable<void> WebSocketSession::take_in(Line& line, FrameParser& parser, std::string_view input) {
  while (!discarding_ && !peer_closed_ && !broken_) {
    Incoming incoming = parser.parse(input);
    if (incoming.kind == Incoming::Kind::Nothing) co_return;
    if (incoming.kind == Incoming::Kind::Message && !over_) {
      inbox_ = std::move(incoming.payload);
      line.arrival.cancel();
      while (inbox_ && !over_) {
        co_await wait_on(line.room);
      }
    } else if (incoming.kind == Incoming::Kind::Ping) {
      Put answered = put(Opcode::Pong, incoming.payload);
      if (answered == Put::Full) break_off("too many bytes wait to be sent");
    } else if (incoming.kind == Incoming::Kind::Close) {
      peer_closed_ = true;
      bool peer_was_first = put_close(incoming.code, "");
      if (!over_) over_ = peer_was_first ? describe(incoming) : kClosedHere;
      line.arrival.cancel();
      line.written.cancel();
    } else if (incoming.kind == Incoming::Kind::Violation) {
      discarding_ = true;
      put_close(incoming.code, incoming.payload);
      stop_reading("closed after a protocol violation: " + incoming.payload);
    }
  }
}

asio::awaitable<void> WebSocketSession::write_queue(Line& line) {
  std::string bytes;
  while (take_pending(bytes)) {
    line.written.cancel();
    if (bytes.empty()) {
      co_await wait_on(line.outgoing);
      continue;
    }
    error_code error;
    co_await write_all(line, bytes, error);
    if (error) break_off("the connection failed: " + error.message());
  }
}

asio::awaitable<void> WebSocketSession::write_all(Line& line, std::string_view bytes, error_code& error) {
  error = {};
  Pieces pieces = {asio::buffer(bytes), asio::const_buffer()};
  bytes.remove_prefix(line.stream->try_write(pieces));
  while (!bytes.empty() && !error) {
    asio::const_buffer step = asio::buffer(bytes.substr(0, kFrameWriteStepBytes));
    write_end_ = Clock::now() + write_patience_;
    watch();
    co_await line.stream->write(step, error);
    bytes.remove_prefix(step.size());
  }
  if (write_end_ == Clock::time_point::max()) co_return;
  write_end_ = Clock::time_point::max();
  watch();
}

}  // namespace http
