// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/shim_launch.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "agent/drivers/shim.h"
#include "agent/gpu/argv.h"

namespace agent::drivers {
namespace {

namespace asio = boost::asio;
using Descriptor = asio::posix::stream_descriptor;

constexpr base::Duration kLaunchTimeout = std::chrono::seconds(30);

int open_pid(pid_t pid) { return int(::syscall(SYS_pidfd_open, pid, 0)); }

// Closes `fd`. Returns false after `timeout`; throws when the wait is cancelled, so that a cancelled
// wait is not mistaken for an end.
asio::awaitable<bool> wait_readable(int fd, std::optional<base::Duration> timeout) {
  struct Waiting {
    Descriptor descriptor;
    bool overdue = false;
  };
  const auto executor = co_await asio::this_coro::executor;
  // Shared with the timer's handler, which may be queued when this returns.
  auto waiting = std::make_shared<Waiting>(Waiting{Descriptor(executor, fd)});
  asio::steady_timer timer(executor);
  if (timeout) {
    timer.expires_after(*timeout);
    timer.async_wait([waiting](boost::system::error_code error) {
      if (error) return;
      waiting->overdue = true;
      waiting->descriptor.cancel(error);
    });
  }
  auto [error] = co_await waiting->descriptor.async_wait(Descriptor::wait_read, asio::as_tuple(asio::use_awaitable));
  timer.cancel();
  if (error && !waiting->overdue) throw boost::system::system_error(error);
  co_return !error;
}

// Reaps the first process of a shim, which ends as soon as it has forked the second.
struct FirstProcess {
  explicit FirstProcess(pid_t first) : pid(first) {}
  ~FirstProcess() { ::waitpid(pid, nullptr, 0); }
  pid_t pid;
};

// Not the agent's environment, which may hold secrets.
std::vector<std::string> shim_environment() {
  std::vector<std::string> variables;
  for (const char* name : {"LD_LIBRARY_PATH", "ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"}) {
    if (const char* value = std::getenv(name)) variables.push_back(std::string(name) + "=" + value);
  }
  return variables;
}

}  // namespace

base::Result<pid_t> spawn_with_files(std::vector<std::string> words, const std::array<int, 4>& descriptors) {
  std::vector<std::string> variables = shim_environment();
  std::vector<char*> argv = gpu::to_argv(words), environment = gpu::to_argv(variables);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  for (int fd = 0; fd < int(descriptors.size()); ++fd) {
    const int given = descriptors[std::size_t(fd)];
    if (given >= 0) ::posix_spawn_file_actions_adddup2(&files, given, fd);
    if (given < 0) ::posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
  }
  ::posix_spawn_file_actions_addclosefrom_np(&files, int(descriptors.size()));
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  ::posix_spawnattr_setsigmask(&attributes, &signals);
  sigfillset(&signals);
  ::posix_spawnattr_setsigdefault(&attributes, &signals);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, argv[0], &files, &attributes, argv.data(), environment.data());
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) return base::Error{words[0] + ": " + std::strerror(error)};
  return pid;
}

std::optional<ShimHandle> ShimHandle::find(const std::string& folder) {
  const auto pid = lock_holder(folder);
  if (!pid || *pid <= 0) return std::nullopt;
  ShimHandle handle(open_pid(*pid));
  if (handle.fd_ < 0 && errno == ESRCH) return std::nullopt;
  if (handle.fd_ < 0) throw boost::system::system_error(errno, boost::system::system_category(), "pidfd_open");
  // It still holds the lock, so it was alive when the descriptor was opened: the descriptor is its own.
  if (lock_holder(folder) != pid) return std::nullopt;
  return handle;
}

ShimHandle::~ShimHandle() {
  if (fd_ >= 0) ::close(fd_);
}

void ShimHandle::signal(int signal) const { ::syscall(SYS_pidfd_send_signal, fd_, signal, nullptr, 0); }

asio::awaitable<bool> ShimHandle::ended(std::optional<base::Duration> timeout) const {
  const bool ended = co_await wait_readable(::fcntl(fd_, F_DUPFD_CLOEXEC, 0), timeout);
  // Init reaps it. An agent that is process 1 of its container is init.
  siginfo_t reaped{};
  if (ended) ::waitid(P_PIDFD, id_t(fd_), &reaped, WEXITED | WNOHANG);
  co_return ended;
}

asio::awaitable<base::Result<ShimStarted>> launch_shim(std::vector<std::string> shim_command, std::string folder) {
  std::array<int, 2> status{};
  if (::pipe2(status.data(), O_CLOEXEC) != 0) co_return base::Error{std::string("pipe: ") + std::strerror(errno)};
  shim_command.push_back(folder);
  const auto first = spawn_with_files(std::move(shim_command), {-1, -1, -1, status[1]});
  ::close(status[1]);
  if (!first) {
    ::close(status[0]);
    co_return base::Error{first.error()};
  }
  const FirstProcess reaper(*first);
  const bool answered = co_await wait_readable(status[0], kLaunchTimeout);
  if (!answered) {
    ::kill(*first, SIGKILL);
    if (auto shim = ShimHandle::find(folder)) shim->signal(SIGKILL);
  }
  if (const auto exit = read_exit(folder); exit && !exit->error.empty()) co_return base::Error{exit->error};
  const auto started = read_started(folder);
  if (started) co_return *started;
  co_return base::Error{answered ? "the shim ended before the command started" : "the shim did not respond"};
}

}  // namespace agent::drivers
