// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/exec_launch.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "agent/drivers/shim_launch.h"
#include "wire/json.h"
#include "wire/type_of.h"

namespace agent::drivers {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kMaxShimAnswer = 64 * 1024;
constexpr const char* kShimStuck = "the command was not started in time";
constexpr const char* kShimGone = "the process that watches the command was killed";

std::int64_t number_after(std::string_view line, std::size_t at) {
  std::int64_t number = 0;
  if (at < line.size()) std::from_chars(line.data() + at, line.data() + line.size(), number);
  return number;
}

// Reaps the first process of an exec shim, which ends as soon as it has forked the second.
struct ForkingProcess {
  explicit ForkingProcess(pid_t first) : pid(first) {}
  ~ForkingProcess() { ::waitpid(pid, nullptr, 0); }
  pid_t pid;
};

}  // namespace

asio::awaitable<base::Result<std::unique_ptr<ExecLauncher>>> ExecLauncher::start(std::vector<std::string> program,
                                                                                 ExecSpec spec,
                                                                                 std::array<int, 3> descriptors,
                                                                                 base::Duration patience) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    co_return base::Error{std::string("socketpair: ") + std::strerror(errno)};
  }
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  asio::posix::stream_descriptor control(executor, ends[0]);
  const std::array<int, 4> files = {descriptors[0], descriptors[1], descriptors[2], ends[1]};
  const auto first = spawn_with_files(std::move(program), files);
  ::close(ends[1]);
  if (!first) co_return base::Error{first.error()};
  const ForkingProcess reaper(*first);
  std::unique_ptr<ExecLauncher> launcher(new ExecLauncher(std::move(control)));
  asio::steady_timer overdue(executor, patience);
  // Ends with this call: the handler may still be queued when the call returns.
  const auto waiting = std::make_shared<asio::posix::stream_descriptor*>(&launcher->control_);
  overdue.async_wait([weak = std::weak_ptr(waiting)](const boost::system::error_code& stopped) {
    const auto control = weak.lock();
    if (!stopped && control) (*control)->cancel();
  });
  std::string line;
  wire::write_json(wire::type_of<ExecSpec>(), &spec, line);
  line += '\n';
  std::size_t sent = 0;
  while (!launcher->end() && launcher->pid_ == 0) {  // end() reads what there is
    if (sent < line.size()) {
      const ssize_t n = ::send(ends[0], line.data() + sent, line.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n > 0) sent += static_cast<std::size_t>(n);
    }
    const auto until = sent < line.size() ? asio::posix::stream_descriptor::wait_write
                                          : asio::posix::stream_descriptor::wait_read;
    auto [error] = co_await launcher->control_.async_wait(until, asio::as_tuple(asio::use_awaitable));
    if (error && overdue.expiry() <= asio::steady_timer::clock_type::now()) co_return base::Error{kShimStuck};
    if (error) co_return base::Error{error.message()};
  }
  co_return std::move(launcher);
}

const std::optional<ExecEnd>& ExecLauncher::end() {
  std::array<char, 4096> bytes;
  while (!end_) {
    const ssize_t got = ::recv(control_.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) break;
    if (got <= 0 || input_.size() > kMaxShimAnswer) {
      end_ = ExecEnd{137, kShimGone};
      break;
    }
    input_.append(bytes.data(), static_cast<std::size_t>(got));
    for (std::size_t line = 0; (line = input_.find('\n')) != input_.npos; input_.erase(0, line + 1)) {
      take_line(input_.substr(0, line));
    }
  }
  return end_;
}

void ExecLauncher::take_line(const std::string& line) {
  if (end_) return;
  const std::size_t number = line.find(' ') + 1;
  if (line.starts_with("started ")) pid_ = number_after(line, number);
  if (line.starts_with("ended ")) end_ = ExecEnd{static_cast<int>(number_after(line, number)), ""};
  if (!line.starts_with("failed ")) return;
  const std::size_t reason = line.find(' ', number);
  end_ = ExecEnd{static_cast<int>(number_after(line, number)), reason == line.npos ? line : line.substr(reason + 1)};
}

void ExecLauncher::signal(int number) {
  const std::string line = "signal " + std::to_string(number) + "\n";
  // A few bytes; the shim reads them at once.
  [[maybe_unused]] const ssize_t sent =
      ::send(control_.native_handle(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void ExecLauncher::hang_up() { ::shutdown(control_.native_handle(), SHUT_WR); }

}  // namespace agent::drivers
