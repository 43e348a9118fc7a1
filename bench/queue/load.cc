// SPDX-License-Identifier: Apache-2.0
#include "load.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

// A server that says nothing for so long has failed.
constexpr Seconds kStalled{30};
constexpr std::size_t kReadBytes = 64 * 1024;
constexpr int kEventsAtOnce = 64;

[[noreturn]] void fail(const char* what) { throw std::runtime_error(std::string(what) + ": " + std::strerror(errno)); }

sockaddr_in local_address(unsigned short port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

class Load {
 public:
  Load(std::vector<Connection>& connections, Seconds warm_up, Seconds measured)
      : connections_(connections), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    if (epoll_ < 0) fail("epoll_create1");
    now_ = Clock::now();
    from_ = now_ + std::chrono::duration_cast<Clock::duration>(warm_up);
    last_ = from_;
    until_ = from_ + std::chrono::duration_cast<Clock::duration>(measured);
  }
  ~Load() { ::close(epoll_); }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  Outcome run() {
    for (Connection& connection : connections_) {
      epoll_event event = {};
      event.events = EPOLLIN;
      event.data.ptr = &connection;
      if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, connection.fd, &event) != 0) fail("epoll_ctl");
      ask(connection);
    }
    while (waiting_ > 0) turn();
    outcome_.elapsed = last_ - from_;
    return outcome_;
  }

 private:
  void turn() {
    std::array<epoll_event, kEventsAtOnce> events;
    const int patience_ms = static_cast<int>(kStalled.count() * 1000);
    int count = ::epoll_wait(epoll_, events.data(), kEventsAtOnce, patience_ms);
    if (count < 0 && errno == EINTR) return;
    if (count < 0) fail("epoll_wait");
    if (count == 0) throw std::runtime_error("the server said nothing for 30 s");
    for (int i = 0; i < count; ++i) take(*static_cast<Connection*>(events[static_cast<std::size_t>(i)].data.ptr));
  }

  void ask(Connection& connection) {
    connection.out.clear();
    if (now_ >= until_ || !connection.conversation->say(connection.out)) return;
    if (!connection.begun) connection.since = now_;
    connection.begun = true;
    connection.waiting = true;
    ++waiting_;
    send_all(connection);
  }

  // Questions are short and one is in the air, so a socket that takes no more is rare:
  // then this waits for it.
  void send_all(Connection& connection) {
    std::string_view rest = connection.out;
    while (!rest.empty()) {
      ssize_t sent = ::send(connection.fd, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (sent < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (sent < 0) fail("send");
      rest.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  void take(Connection& connection) {
    if (!read(connection)) return;
    now_ = Clock::now();
    for (;;) {
      Heard heard = connection.conversation->hear(std::string_view(connection.in).substr(connection.in_used));
      connection.in_used += heard.used;
      if (connection.in_used == connection.in.size()) {
        connection.in.clear();
        connection.in_used = 0;
      }
      if (heard.answered) {
        count(connection, heard);
        connection.waiting = false;
        --waiting_;
        ask(connection);
        return;
      }
      if (heard.used == 0 || connection.in.empty()) return;
    }
  }

  bool read(Connection& connection) {
    ssize_t got = ::recv(connection.fd, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (got < 0) fail("recv");
    if (got == 0) throw std::runtime_error("the server closed a connection");
    connection.in.append(buffer_.data(), static_cast<std::size_t>(got));
    return true;
  }

  void count(Connection& connection, const Heard& heard) {
    const bool counted = now_ >= from_ && now_ < until_;
    if (counted) {
      ++outcome_.requests;
      outcome_.messages += static_cast<std::uint64_t>(heard.messages);
      last_ = now_;
    }
    if (!heard.done) return;
    connection.begun = false;
    if (!counted) return;
    ++outcome_.done;
    outcome_.latency.add(now_ - connection.since);
  }

  std::vector<Connection>& connections_;
  int epoll_;
  int waiting_ = 0;
  std::array<char, kReadBytes> buffer_;
  Clock::time_point now_, from_, until_, last_;
  Outcome outcome_;
};

}  // namespace

Connection::Connection(Connection&& other) noexcept
    : fd(std::exchange(other.fd, -1)), conversation(std::move(other.conversation)) {}

Connection::~Connection() {
  if (fd >= 0) ::close(fd);
}

Outcome run_load(std::vector<Connection>& connections, Seconds warm_up, Seconds measured) {
  return Load(connections, warm_up, measured).run();
}

void run_alone(int fd, std::unique_ptr<Conversation> conversation) {
  std::vector<Connection> one;
  one.emplace_back(fd, std::move(conversation));
  run_load(one, Seconds(0), Seconds(3600));
}

int connect_to(unsigned short port) {
  int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("socket");
  const sockaddr_in address = local_address(port);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(fd);
    fail("connect");
  }
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

bool wait_for_port(unsigned short port, Seconds patience) {
  const auto until = Clock::now() + patience;
  while (Clock::now() < until) {
    try {
      ::close(connect_to(port));
      return true;
    } catch (const std::runtime_error&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
  return false;
}

unsigned short free_port() {
  int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = local_address(0);
  socklen_t size = sizeof address;
  const bool bound = fd >= 0 && ::bind(fd, reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
                     ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  ::close(fd);
  if (!bound) fail("bind");
  return ntohs(address.sin_port);
}

}  // namespace bench
