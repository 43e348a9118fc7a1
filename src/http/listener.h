// SPDX-License-Identifier: Apache-2.0
// Listening sockets, opened with system calls, so that TCP and unix sockets share one type.
#pragma once

#include <string>

#include "http/lane.h"

namespace http {

// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor();

  int get() const { return fd_; }
  int release();

 private:
  int fd_;
};

// Both throw std::runtime_error: "cannot listen on 127.0.0.1:4566: Address already in use".
Descriptor open_tcp_listener(const std::string& address, unsigned short port);
Descriptor open_unix_listener(const std::string& path);

unsigned short bound_port(int fd);

// Accepts a pending connection, non-blocking and without Nagle's delay. On failure fd is -1
// and `error` the errno.
Accepted accept_one(int listener, int& error);

// Sends a 503 in one write without waiting, and closes.
void turn_away(const Accepted& accepted);

}  // namespace http
