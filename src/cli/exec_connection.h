// SPDX-License-Identifier: Apache-2.0
// The WebSocket of a data channel, for a program that waits with poll(): messages are read on a thread of their own.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "base/guarded.h"
#include "client/request.h"
#include "http/io_threads.h"
#include "http/websocket.h"

namespace cli {

class ExecConnection {
 public:
  // Connects and sends the first message. Throws std::runtime_error.
  ExecConnection(const client::Profile& profile, const std::string& stream_url, std::string first);
  ~ExecConnection();

  int event() const { return event_.number; }  // a descriptor that is readable when there is something to take
  std::optional<std::string> take();
  // The connection is over, and everything was taken.
  bool lost() const;
  void send(std::string bytes) { socket_->send_binary(std::move(bytes)); }

 private:
  boost::asio::awaitable<void> read_all();
  void notify() const;

  struct Event {
    Event();  // throws std::system_error
    ~Event();
    Event(const Event&) = delete;
    int number = -1;
  };
  struct Arrived {
    std::deque<std::string> messages;
    bool over = false;
  };

  Event event_;
  base::Guarded<Arrived> arrived_;
  std::shared_ptr<http::WebSocket> socket_;  // shared with the thread that reads it
  http::IoThreads io_{1};  // ends first
};

}  // namespace cli
