// SPDX-License-Identifier: Apache-2.0
// The connections of one thread: starts them and ends their overdue waits once a
// tick. Its members belong to that thread.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "http/connection.h"

namespace http {

// Counts coroutines, so that their owner can wait for the last one.
class Running {
 public:
  void add();
  void done();
  int count() const;
  // False if some still run after `patience`.
  bool wait_for_none(base::Duration patience);
  void wait_for_none();

 private:
  mutable std::mutex mutex_;
  std::condition_variable none_;
  int count_ = 0;
};

struct Accepted {
  int fd = -1;
  int family = 0;
  std::string peer;
  std::string address;                       // of the peer, or the network of an IPv6 one
  boost::asio::ssl::context* tls = nullptr;  // null for a plain connection
  std::optional<Admission::Place> place = {};
};

class Lane {
 public:
  Lane(boost::asio::io_context& io, const Handler& handler, const Limits& limits, const std::atomic<bool>& draining,
       BodyBudget& bodies, BodyBudget& account_bodies, Running& connections, Running& ticks);

  // From any thread.
  void start_ticks();
  void stop_ticks();
  void serve(Accepted accepted);
  void end_idle_waits();
  void cancel_all();

 private:
  // Cancels a connection; must outlive its coroutine.
  using Stop = boost::asio::cancellation_signal;

  boost::asio::awaitable<void> tick();
  boost::asio::awaitable<void> run_connection(Accepted accepted, Stop& stop);

  boost::asio::io_context& io_;
  const Limits& limits_;
  std::chrono::steady_clock::time_point now_ = std::chrono::steady_clock::now();
  Surroundings around_;
  Running& running_connections_;
  Running& running_ticks_;
  boost::asio::steady_timer timer_;
  bool ticking_ = true;
  std::unordered_map<Connection*, Stop*> connections_;
};

}  // namespace http
