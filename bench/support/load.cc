// SPDX-License-Identifier: Apache-2.0
#include "support/load.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

// A server that sends nothing for so long has failed.
constexpr Seconds kStalled{60};
constexpr std::size_t kReadBytes = 256 * 1024;
// The most bytes that a connection writes before it is the turn of others.
constexpr std::size_t kWriteBytes = 1024 * 1024;
constexpr int kEventsAtOnce = 64;
constexpr Seconds kNoLimit{24 * 3600};

[[noreturn]] void fail(const char* what) { throw std::runtime_error(std::string(what) + ": " + std::strerror(errno)); }

// The counted part of a load.
struct Window {
  Seconds warm_up{0}, measured{0};
  bool to_the_end = false;  // also requests that are answered later
};

class Load {
 public:
  Load(std::vector<Connection>& connections, const Window& window)
      : connections_(connections),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)),
        buffer_(kReadBytes),
        to_the_end_(window.to_the_end) {
    if (epoll_ < 0) fail("epoll_create1");
    now_ = Clock::now();
    from_ = now_ + std::chrono::duration_cast<Clock::duration>(window.warm_up);
    last_ = from_;
    until_ = from_ + std::chrono::duration_cast<Clock::duration>(window.measured);
  }
  ~Load() { ::close(epoll_); }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  Outcome run() {
    for (Connection& connection : connections_) {
      watch(connection, EPOLL_CTL_ADD, EPOLLIN);
      ask(connection);
    }
    while (waiting_ > 0) turn();
    outcome_.elapsed = last_ - from_;
    return outcome_;
  }

 private:
  void watch(Connection& connection, int change, std::uint32_t events) {
    epoll_event event = {};
    event.events = events;
    event.data.ptr = &connection;
    if (::epoll_ctl(epoll_, change, connection.fd, &event) != 0) fail("epoll_ctl");
  }

  void turn() {
    std::array<epoll_event, kEventsAtOnce> events;
    const int patience_ms = static_cast<int>(kStalled.count() * 1000);
    int count = ::epoll_wait(epoll_, events.data(), kEventsAtOnce, patience_ms);
    if (count < 0 && errno == EINTR) return;
    if (count < 0) fail("epoll_wait");
    if (count == 0) throw std::runtime_error("the server said nothing for 60 s");
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      Connection& connection = *static_cast<Connection*>(event.data.ptr);
      if (event.events & EPOLLOUT) send_more(connection);
      if (event.events & ~static_cast<std::uint32_t>(EPOLLOUT)) take(connection);
    }
  }

  void ask(Connection& connection) {
    connection.out.clear();
    if (now_ >= until_ || !connection.conversation->say(connection.out)) return;
    connection.body = connection.conversation->body();
    connection.sent = 0;
    if (!connection.begun) connection.since = now_;
    connection.begun = true;
    ++waiting_;
    send_more(connection);
  }

  void send_more(Connection& connection) {
    const std::size_t size = connection.out.size() + connection.body.size();
    const std::size_t most = std::min(size, connection.sent + kWriteBytes);
    while (connection.sent < most && send_some(connection)) continue;
    const bool blocked = connection.sent < size;
    if (blocked != connection.blocked) watch(connection, EPOLL_CTL_MOD, blocked ? EPOLLIN | EPOLLOUT : EPOLLIN);
    connection.blocked = blocked;
  }

  // False if the socket's buffer is full.
  static bool send_some(Connection& connection) {
    const std::size_t of_out = std::min(connection.sent, connection.out.size());
    const std::string_view head = std::string_view(connection.out).substr(of_out);
    const std::string_view body = connection.body.substr(connection.sent - of_out).substr(0, kWriteBytes);
    std::array<iovec, 2> pieces = {iovec{const_cast<char*>(head.data()), head.size()},
                                   iovec{const_cast<char*>(body.data()), body.size()}};
    msghdr message = {};
    message.msg_iov = pieces.data();
    message.msg_iovlen = pieces.size();
    const ssize_t sent = ::sendmsg(connection.fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EAGAIN) return false;
    if (sent < 0 && errno != EINTR) fail("send");
    if (sent > 0) connection.sent += static_cast<std::size_t>(sent);
    return true;
  }

  void take(Connection& connection) {
    const ssize_t got = ::recv(connection.fd, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got < 0) fail("recv");
    if (got == 0) throw std::runtime_error("the server closed a connection");
    now_ = Clock::now();
    // Usually no bytes are left over, and the new ones are processed in place.
    std::string_view unread(buffer_.data(), static_cast<std::size_t>(got));
    const bool joined = !connection.in.empty();
    if (joined) unread = connection.in.append(unread);
    std::size_t used = 0;
    for (bool more = true; more;) {
      const Heard heard = connection.conversation->hear(unread.substr(used));
      used += heard.used;
      more = heard.used > 0 && !heard.answered && used < unread.size();
      if (heard.answered) answered(connection, heard);
    }
    if (joined) {
      connection.in.erase(0, used);
    } else {
      connection.in.assign(unread.substr(used));
    }
  }

  void answered(Connection& connection, const Heard& heard) {
    count(connection, heard);
    --waiting_;
    ask(connection);
  }

  void count(Connection& connection, const Heard& heard) {
    const bool counted = now_ >= from_ && (to_the_end_ || now_ < until_);
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
  std::vector<char> buffer_;
  bool to_the_end_;
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
  return Load(connections, {warm_up, measured, false}).run();
}

Outcome run_whole_load(std::vector<Connection>& connections, Seconds at_least) {
  return Load(connections, {Seconds(0), at_least, true}).run();
}

void run_alone(int fd, std::unique_ptr<Conversation> conversation) {
  std::vector<Connection> one;
  one.emplace_back(fd, std::move(conversation));
  run_load(one, Seconds(0), kNoLimit);
}

}  // namespace bench
