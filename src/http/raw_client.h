// SPDX-License-Identifier: Apache-2.0
// A plain blocking socket, for tests that send invalid HTTP.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "http/test_deadline.h"

namespace http {

// The text without its Date headers, which a test cannot predict.
inline std::string without_dates(std::string text) {
  constexpr std::size_t kLine = sizeof "\r\nDate: Thu, 05 Nov 2026 09:30:10 GMT" - 1;
  for (std::size_t at = 0; (at = text.find("\r\nDate: ", at)) != std::string::npos;) text.erase(at, kLine);
  return text;
}

class RawClient {
 public:
  explicit RawClient(unsigned short port) {
    sockaddr_in name = {};
    name.sin_family = AF_INET;
    name.sin_port = htons(port);
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connect_to(AF_INET, reinterpret_cast<const sockaddr*>(&name), sizeof name);
    int on = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  explicit RawClient(const std::string& path) {
    sockaddr_un name = {};
    name.sun_family = AF_UNIX;
    std::memcpy(name.sun_path, path.data(), std::min(path.size(), sizeof name.sun_path - 1));
    connect_to(AF_UNIX, reinterpret_cast<const sockaddr*>(&name), sizeof name);
  }
  ~RawClient() { ::close(fd_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool connected() const { return connected_; }

  // False if the server stops receiving.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void finish() { ::shutdown(fd_, SHUT_WR); }

  // Everything up to and including `mark`; less if the server closes first.
  std::string read_until(std::string_view mark) {
    while (got_.find(mark) == std::string::npos && receive()) {
    }
    std::size_t at = got_.find(mark);
    return take(at == std::string::npos ? got_.size() : at + mark.size());
  }
  // One response, by its Content-Length.
  std::string read_answer() {
    std::string head = read_until("\r\n\r\n");
    std::size_t at = head.find("Content-Length: ");
    std::size_t length = at == std::string::npos ? 0 : std::stoul(head.substr(at + 16));
    while (got_.size() < length && receive()) {
    }
    return head + take(std::min(length, got_.size()));
  }
  std::string read_to_end() {
    while (receive()) {
    }
    return take(got_.size());
  }

 private:
  void connect_to(int family, const sockaddr* name, socklen_t size) {
    fd_ = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    timeval patience = {kTestDeadlineMs / 1000, 0};  // so that a hanging test reports where it hangs
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    connected_ = ::connect(fd_, name, size) == 0;
  }
  bool receive() {
    char buffer[65536];
    ssize_t got = ::recv(fd_, buffer, sizeof buffer, 0);
    if (got < 0 && errno == EINTR) return true;  // with a timeout, SIGCONT interrupts it
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      ADD_FAILURE() << "the server sent nothing in time";
    }
    if (got <= 0) return false;
    got_.append(buffer, static_cast<std::size_t>(got));
    return true;
  }
  std::string take(std::size_t size) {
    std::string out = got_.substr(0, size);
    got_.erase(0, size);
    return out;
  }

  int fd_ = -1;
  bool connected_ = false;
  std::string got_;
};

}  // namespace http
