// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/shim.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <optional>

#include "agent/drivers/cgroup.h"
#include "agent/drivers/log_file.h"
#include "agent/drivers/shim_command.h"
#include "agent/drivers/shim_folder.h"

namespace agent::drivers {
namespace {

static_assert(kShimStop == SIGTERM && kShimKill == SIGUSR1);

constexpr int kReadBytes = 64 * 1024;      // a pipe's worth
constexpr int kMaxReadsPerTurn = 16;       // of one stream, before the other stream and the signals
constexpr int kMaxReadsAtEnd = 64;         // of the rest of a pipe, at most 1 MiB
constexpr int kReapSeconds = 10;           // on a kernel that does not list our children
constexpr int kCannotStartExitCode = 127;  // as a shell and Docker

LogTime log_time_now() {
  return std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now());
}

class Shim {
 public:
  Shim(std::string folder, ShimSpec spec, int signals)
      : folder_(std::move(folder)), spec_(std::move(spec)), signals_(signals) {}

  ShimExit run();

 private:
  std::string open_log();
  void watch();
  void take_signals();
  void reap();
  void signal_group(int signal);
  void kill_the_rest();
  void copy(LogStream stream, int& fd, int most_reads);

  std::string folder_;
  ShimSpec spec_;
  std::optional<LogWriter> log_;
  ShimCommand command_;
  int signals_;
  std::optional<int> status_;  // the command's, from waitpid
  bool alone_ = false;         // no child is left
};

// Call before taking the lock: the agent may send signals as soon as the lock is held.
int open_signals() {
  sigset_t handled;
  sigemptyset(&handled);
  for (int signal : {SIGCHLD, kShimStop, kShimKill}) sigaddset(&handled, signal);
  ::sigprocmask(SIG_SETMASK, &handled, nullptr);
  for (int signal : {SIGPIPE, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU}) ::signal(signal, SIG_IGN);
  return ::signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);
}

std::string Shim::open_log() {
  if (spec_.log_file.empty()) return "";
  auto log = LogWriter::open(spec_.log_file);
  if (!log) return log.error();
  log_.emplace(std::move(*log));
  return "";
}

ShimExit Shim::run() {
  if (const std::string error = open_log(); !error.empty()) return {kCannotStartExitCode, false, error, now_ms()};
  const std::int64_t oom_kills_before = oom_kills(spec_.oom_file);  // of an earlier run in that cgroup
  auto started = start_command(spec_);
  if (!started) return {kCannotStartExitCode, false, started.error(), now_ms()};
  command_ = *started;
  const ShimStarted note{command_.pid, start_ticks(command_.pid).value_or(0), now_ms()};
  // The command already runs, so a full disk is ignored here. It may have space at the end.
  (void)write_part(folder_, "started.json", note);
  ::close(kShimStatusFd);
  watch();
  const std::int64_t ended = now_ms();
  kill_the_rest();
  copy(LogStream::Stdout, command_.out, kMaxReadsAtEnd);
  copy(LogStream::Stderr, command_.err, kMaxReadsAtEnd);
  if (log_) log_->finish();
  const int code = WIFSIGNALED(*status_) ? 128 + WTERMSIG(*status_) : WEXITSTATUS(*status_);
  return {code, oom_kills(spec_.oom_file) > oom_kills_before, "", ended};
}

void Shim::watch() {
  const std::int64_t end = spec_.time_limit_ms > 0 ? now_ms() + spec_.time_limit_ms : 0;
  while (!status_) {
    const std::int64_t left = end - now_ms();
    if (end && left <= 0) signal_group(SIGKILL);
    const int timeout = end ? int(std::clamp<std::int64_t>(left, 10, 60'000)) : -1;
    std::array<pollfd, 3> ready{{{signals_, POLLIN, 0}, {command_.out, POLLIN, 0}, {command_.err, POLLIN, 0}}};
    if (::poll(ready.data(), ready.size(), timeout) < 0) continue;
    if (ready[0].revents) take_signals();
    if (ready[1].revents) copy(LogStream::Stdout, command_.out, kMaxReadsPerTurn);
    if (ready[2].revents) copy(LogStream::Stderr, command_.err, kMaxReadsPerTurn);
  }
}

void Shim::take_signals() {
  signalfd_siginfo info{};
  while (::read(signals_, &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGCHLD) continue;
    if (info.ssi_signo == kShimStop) signal_group(spec_.stop_signal > 0 ? spec_.stop_signal : SIGTERM);
    if (info.ssi_signo == kShimKill) signal_group(SIGKILL);
  }
  reap();
}

void Shim::signal_group(int signal) {
  if (!status_) ::kill(-command_.pid, signal);
}

// Reaps the command and its orphans, which have become our children.
void Shim::reap() {
  siginfo_t ended{};
  while (::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0) {
    // Kill its group before reaping it: until then its process id is not reused.
    if (ended.si_pid == command_.pid) ::kill(-command_.pid, SIGKILL);
    int status = 0;
    ::waitpid(ended.si_pid, &status, 0);
    if (ended.si_pid == command_.pid) status_ = status;
    ended = {};
  }
  alone_ = ::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD;
}

// Orphans of the command are our children, in whichever group or session; the children of those we
// kill become ours in turn.
void Shim::kill_the_rest() {
  const std::string self = std::to_string(::getpid());
  const auto give_up_at = std::chrono::steady_clock::now() + std::chrono::seconds(kReapSeconds);
  reap();
  // A process stuck in the kernel still holds its GPUs, so there is no time limit.
  while (!alone_) {
    std::ifstream children("/proc/self/task/" + self + "/children");
    if (!children && std::chrono::steady_clock::now() > give_up_at) return;
    for (pid_t child = 0; children >> child;) ::kill(child, SIGKILL);
    pollfd ready{signals_, POLLIN, 0};
    ::poll(&ready, 1, 100);
    copy(LogStream::Stdout, command_.out, kMaxReadsPerTurn);
    copy(LogStream::Stderr, command_.err, kMaxReadsPerTurn);
    take_signals();
  }
}

void Shim::copy(LogStream stream, int& fd, int most_reads) {
  std::array<char, kReadBytes> bytes;
  for (int i = 0; fd >= 0 && i < most_reads; ++i) {
    const ssize_t got = ::read(fd, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    const bool again = got < 0 && errno == EAGAIN;
    // Also at the end of the stream: a newline that the program did not write is not added.
    if (got <= 0 && log_) log_->write_partial(stream);
    if (again) return;
    if (got <= 0) {
      ::close(fd);
      fd = -1;  // poll ignores it
      return;
    }
    if (log_) log_->append(stream, log_time_now(), {bytes.data(), std::size_t(got)});
  }
}

// Leaves the cgroup that the service manager would kill together with the agent.
void join_cgroups(const std::vector<std::string>& files) {
  for (const std::string& file : files) std::ofstream(file) << "0" << std::flush;
}

}  // namespace

int run_shim(const std::string& folder) {
  // The agent reaps this first process; init reaps the second.
  if (const pid_t pid = ::fork(); pid != 0) ::_exit(pid < 0 ? 1 : 0);
  ::fcntl(kShimStatusFd, F_SETFD, FD_CLOEXEC);
  ::prctl(PR_SET_NAME, "stoker-shim");
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const int signals = open_signals();
  auto spec = read_spec(folder);
  if (!spec || !take_lock(folder) || read_exit(folder)) ::_exit(1);
  join_cgroups(spec->shim_joins);
  [[maybe_unused]] const int moved = ::chdir("/");
  const ShimExit end = Shim(folder, std::move(*spec), signals).run();
  // The exit status exists nowhere else: on a full disk, retry until it is written.
  while (!write_part(folder, "exit.json", end) && ::access(folder.c_str(), F_OK) == 0) ::sleep(1);
  ::_exit(0);
}

}  // namespace agent::drivers
