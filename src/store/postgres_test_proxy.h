// SPDX-License-Identifier: Apache-2.0
// Stands between a store and PostgreSQL and loses the response to a COMMIT.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace store {

class PostgresTestProxy {
 public:
  // Both are folders of unix sockets: of the server, and an empty one for this proxy.
  PostgresTestProxy(const std::string& server, const std::string& folder)
      : server_(server + kSocket), listener_(make_socket()) {
    const sockaddr_un address = address_of(folder + kSocket);
    bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    listen(listener_, 16);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  ~PostgresTestProxy() {
    shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    for (auto& thread : connections_) thread.join();
    close(listener_);
  }

  // The next COMMIT reaches the server, and its connection breaks once the server has responded.
  void lose_next_commit() { armed_ = true; }

 private:
  static constexpr const char* kSocket = "/.s.PGSQL.5432";

  static int make_socket() { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }
  static sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    return address;
  }

  void accept_all() {
    for (int client = 0; (client = accept(listener_, nullptr, nullptr)) >= 0;) {
      connections_.emplace_back([this, client] { relay(client); });
    }
  }

  // Returns the bytes that it passed on; "" when a side has closed.
  static std::string pass(int from, int to) {
    std::array<char, 1 << 16> bytes;
    const ssize_t count = read(from, bytes.data(), bytes.size());
    if (count <= 0 || (to >= 0 && write(to, bytes.data(), static_cast<std::size_t>(count)) != count)) return "";
    return {bytes.data(), static_cast<std::size_t>(count)};
  }

  void relay(int client) {
    const int server = make_socket();
    const sockaddr_un address = address_of(server_);
    connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    std::array<pollfd, 2> ends{pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
    while (poll(ends.data(), ends.size(), -1) > 0) {
      if (ends[1].revents && pass(server, client).empty()) break;
      if (!ends[0].revents) continue;
      const std::string sent = pass(client, server);
      if (sent.empty()) break;
      if (sent.find("COMMIT") != sent.npos && armed_.exchange(false)) {
        pass(server, -1);
        break;
      }
    }
    close(server);
    close(client);
  }

  std::string server_;
  int listener_;
  std::atomic<bool> armed_ = false;
  std::vector<std::thread> connections_;
  std::thread acceptor_;
};

}  // namespace store
