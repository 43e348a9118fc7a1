// SPDX-License-Identifier: Apache-2.0
// A server for tests that need invalid responses.
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "http/listener.h"
#include "http/message.h"
#include "http/test_deadline.h"

namespace http {

inline Request get_request(std::string target) {
  Request request;
  request.head.method = "GET";
  request.head.target = std::move(target);
  return request;
}

// Each script handles one connection, in turn.
class ScriptedServer {
 public:
  using Script = std::function<void(int fd)>;

  explicit ScriptedServer(std::vector<Script> scripts)
      : listener_(open_tcp_listener("127.0.0.1", 0)), port_(bound_port(listener_.get())), scripts_(std::move(scripts)) {
    thread_ = std::thread([this] { run(); });
  }
  ~ScriptedServer() { thread_.join(); }
  unsigned short port() const { return port_; }

  // Reads up to the end of one head.
  static void read_request(int fd) {
    std::string got;
    char buffer[4096];
    while (got.find("\r\n\r\n") == std::string::npos) {
      pollfd ready = {fd, POLLIN, 0};
      ::poll(&ready, 1, kTestDeadlineMs);
      ssize_t size = ::recv(fd, buffer, sizeof buffer, 0);
      if (size <= 0) return;
      got.append(buffer, static_cast<std::size_t>(size));
    }
  }
  static void write(int fd, std::string_view bytes) { (void)::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL); }

 private:
  void run() {
    for (const Script& script : scripts_) {
      pollfd ready = {listener_.get(), POLLIN, 0};
      if (::poll(&ready, 1, kTestDeadlineMs) <= 0) return;
      int error = 0;
      Descriptor connection(accept_one(listener_.get(), error).fd);
      script(connection.get());
    }
  }

  Descriptor listener_;
  unsigned short port_;
  std::vector<Script> scripts_;
  std::thread thread_;
};

}  // namespace http
