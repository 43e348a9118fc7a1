// SPDX-License-Identifier: Apache-2.0
#include "http/lane.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>

#include "base/log.h"

namespace http {
namespace {

namespace asio = boost::asio;

void log_unless_cancelled(std::exception_ptr failure) {
  if (!failure) return;
  try {
    std::rethrow_exception(failure);
  } catch (const boost::system::system_error& error) {
    if (error.code() != asio::error::operation_aborted) base::log_error("connection failed", {{"error", error.what()}});
  } catch (const std::exception& error) {
    base::log_error("connection failed", {{"error", error.what()}});
  } catch (...) {
    base::log_error("connection failed", {{"error", "unknown exception"}});
  }
}

}  // namespace

void Running::add() {
  std::lock_guard lock(mutex_);
  ++count_;
}

void Running::done() {
  std::lock_guard lock(mutex_);
  // Under the lock: the waiter may destroy this object as soon as it sees 0.
  if (--count_ == 0) none_.notify_all();
}

int Running::count() const {
  std::lock_guard lock(mutex_);
  return count_;
}

bool Running::wait_for_none(base::Duration patience) {
  std::unique_lock lock(mutex_);
  return none_.wait_for(lock, patience, [&] { return count_ == 0; });
}

void Running::wait_for_none() {
  std::unique_lock lock(mutex_);
  none_.wait(lock, [&] { return count_ == 0; });
}

Lane::Lane(asio::io_context& io, const Handler& handler, const Limits& limits, const std::atomic<bool>& draining,
           BodyBudget& bodies, BodyBudget& account_bodies, Running& connections, Running& ticks)
    : io_(io),
      limits_(limits),
      around_{handler, limits, draining, now_, bodies, account_bodies},
      running_connections_(connections),
      running_ticks_(ticks),
      timer_(io) {}

void Lane::start_ticks() {
  running_ticks_.add();
  asio::co_spawn(io_, tick(), [this](std::exception_ptr failure) {
    log_unless_cancelled(failure);
    running_ticks_.done();
  });
}

void Lane::stop_ticks() {
  asio::post(io_, [this] {
    ticking_ = false;
    timer_.cancel();
  });
}

asio::awaitable<void> Lane::tick() {
  while (ticking_) {
    error_code cancelled;
    timer_.expires_after(limits_.tick);
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
    now_ = std::chrono::steady_clock::now();
    for (auto& [connection, stop] : connections_) connection->end_overdue_wait(now_);
  }
}

void Lane::serve(Accepted accepted) {
  running_connections_.add();
  auto stop = std::make_unique<Stop>();
  Stop& signal = *stop;
  auto ended = [this, stop = std::move(stop)](std::exception_ptr failure) {
    log_unless_cancelled(failure);
    running_connections_.done();
  };
  asio::co_spawn(io_, run_connection(std::move(accepted), signal),
                 asio::bind_cancellation_slot(signal.slot(), std::move(ended)));
}

asio::awaitable<void> Lane::run_connection(Accepted accepted, Stop& stop) {
  Socket socket(io_, asio::generic::stream_protocol(accepted.family, 0), accepted.fd);
  std::unique_ptr<Stream> stream;
  if (accepted.tls) {
    stream = tls_server_stream(std::move(socket), *accepted.tls);
  } else {
    stream = plain_stream(std::move(socket));
  }
  Peer peer{std::move(accepted.peer), accepted.tls != nullptr, std::move(*accepted.place)};
  Connection connection(around_, std::move(stream), std::move(peer));
  connections_.emplace(&connection, &stop);
  std::exception_ptr failure;
  try {
    co_await connection.run();
  } catch (...) {
    failure = std::current_exception();
  }
  connections_.erase(&connection);
  if (failure) std::rethrow_exception(failure);
}

void Lane::end_idle_waits() {
  asio::post(io_, [this] {
    for (auto& [connection, stop] : connections_) {
      connection->end_idle_wait();
      connection->end_websocket();
    }
  });
}

void Lane::cancel_all() {
  asio::post(io_, [this] {
    // A cancelled connection leaves the table later, when its coroutine resumes.
    for (auto& [connection, stop] : connections_) {
      connection->end_websocket();
      stop->emit(asio::cancellation_type::terminal);
    }
  });
}

}  // namespace http
