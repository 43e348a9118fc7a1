// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/exec_shim.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <utility>

#include "agent/drivers/exec.h"
#include "agent/drivers/exec_command.h"
#include "agent/drivers/process_state.h"
#include "agent/drivers/shim_folder.h"
#include "wire/error.h"
#include "wire/json.h"
#include "wire/type_of.h"

namespace agent::drivers {
namespace {

using ExecClock = std::chrono::steady_clock;

constexpr std::size_t kMaxControlLine = 4 * 1024 * 1024;
constexpr int kKilledPollMs = 20;  // between looks at processes that were killed
constexpr int kMostKillLooks = 250;

void say(const std::string& line) {
  const std::string text = line + "\n";
  // The agent reads all lines; if it is gone, there is nobody to report to.
  [[maybe_unused]] const ssize_t sent = ::send(kExecControlFd, text.data(), text.size(), MSG_NOSIGNAL);
}

// Looks twice: a process may fork and end between two entries of /proc, so that one look misses both.
bool has_ended(pid_t session) { return signal_session(session, 0) && signal_session(session, 0); }

// What is killed may have forked before it ended.
void kill_all(pid_t session) {
  for (int looks = 0; looks < kMostKillLooks; ++looks) {
    signal_session(session, SIGKILL);
    if (has_ended(session)) return;
    ::poll(nullptr, 0, kKilledPollMs);
  }
}

int open_exec_signals() {
  sigset_t handled;
  sigemptyset(&handled);
  for (int signal : {SIGCHLD, SIGTERM}) sigaddset(&handled, signal);
  ::sigprocmask(SIG_SETMASK, &handled, nullptr);
  for (int signal : {SIGPIPE, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU}) ::signal(signal, SIG_IGN);
  return ::signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);
}

class ExecShim {
 public:
  explicit ExecShim(int signals) : signals_(signals) {}

  int run() {
    const std::optional<ExecSpec> spec = read_exec_spec();
    if (!spec || !begin(*spec)) return 1;
    watch();
    return 0;
  }

 private:
  std::optional<std::string> next_line();
  std::optional<ExecSpec> read_exec_spec();
  bool begin(const ExecSpec& spec);
  void watch();
  void take_requests();
  void take_exec_signals();
  void end_with_container();
  void hang_up();
  bool leader_ended();

  int signals_;
  pid_t leader_ = 0;          // of the command's session
  pid_t child_ = 0;           // the command, or its parent in a pid namespace; 0 for a guard
  int leader_fd_ = -1;        // a guard's: readable when the leader has ended
  int target_fd_ = -1;        // readable when the task's first process has ended
  std::optional<int> code_;   // of the command
  bool closing_ = false;      // SIGHUP was sent
  bool in_cgroup_ = false;
  ExecClock::time_point kill_at_ = ExecClock::time_point::max();
  bool gone_ = false;  // the agent
  std::string input_;
};

std::optional<std::string> ExecShim::next_line() {
  const std::size_t end = input_.find('\n');
  if (end == input_.npos) return std::nullopt;
  std::string line = input_.substr(0, end);
  input_.erase(0, end + 1);
  return line;
}

std::optional<ExecSpec> ExecShim::read_exec_spec() {
  std::array<char, 4096> bytes;
  std::optional<std::string> line;
  while (!(line = next_line())) {
    const ssize_t got = ::read(kExecControlFd, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || input_.size() > kMaxControlLine) return std::nullopt;
    input_.append(bytes.data(), static_cast<std::size_t>(got));
  }
  ExecSpec spec;
  try {
    wire::read_json(wire::type_of<ExecSpec>(), *line, &spec);
  } catch (const wire::ApiError&) {
    return std::nullopt;
  }
  return spec;
}

bool ExecShim::begin(const ExecSpec& spec) {
  if (spec.guarded > 0) {
    leader_ = static_cast<pid_t>(spec.guarded);
    leader_fd_ = static_cast<int>(::syscall(SYS_pidfd_open, leader_, 0));
    // After the descriptor is open: it is the same process. Otherwise the leader has ended.
    if (leader_fd_ >= 0 && start_ticks(leader_) != spec.guarded_ticks) ::close(std::exchange(leader_fd_, -1));
  } else {
    const pid_t target = static_cast<pid_t>(spec.target);
    target_fd_ = static_cast<int>(::syscall(SYS_pidfd_open, target, 0));
    // After the descriptor is open: it is the same process.
    const bool runs = target_fd_ >= 0 && start_ticks(target) == spec.target_ticks;
    const ExecStart started = runs ? start_exec(spec) : ExecStart{.code = 126, .error = "the container has ended"};
    if (!started.error.empty()) {
      say("failed " + std::to_string(started.code) + " " + started.error);
      return false;
    }
    child_ = started.child;
    in_cgroup_ = !spec.joins.empty();
    leader_ = started.leader;
  }
  // From now on only the command has copies: its end closes them.
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd : {0, 1, 2}) ::dup2(null, fd);
  say("started " + std::to_string(leader_));
  return true;
}

bool ExecShim::leader_ended() {
  if (child_ > 0) return code_.has_value();
  pollfd ready{leader_fd_, POLLIN, 0};
  return leader_fd_ < 0 || (::poll(&ready, 1, 0) > 0 && ready.revents != 0);
}

void ExecShim::watch() {
  for (;;) {
    if (leader_ended() && !closing_) break;
    if (closing_ && ExecClock::now() >= kill_at_) signal_session(leader_, SIGKILL);
    // The rest of the session must end, too, once its client is gone.
    if (closing_ && leader_ended() && has_ended(leader_)) break;
    const int timeout = closing_ ? kKilledPollMs : -1;
    std::array<pollfd, 4> ready{{{gone_ ? -1 : kExecControlFd, POLLIN, 0},
                                 {signals_, POLLIN, 0},
                                 {closing_ ? -1 : leader_fd_, POLLIN, 0},
                                 {closing_ ? -1 : target_fd_, POLLIN, 0}}};
    if (::poll(ready.data(), ready.size(), timeout) < 0) continue;
    if (ready[0].revents) take_requests();
    if (ready[1].revents) take_exec_signals();
    if (ready[3].revents) end_with_container();
  }
  if (code_) say("ended " + std::to_string(*code_));
  // Without a cgroup, which ends with its task, nothing else would end what the command has left behind.
  if (child_ > 0 && !in_cgroup_) kill_all(leader_);
}

void ExecShim::take_requests() {
  std::array<char, 4096> bytes;
  const ssize_t got = ::recv(kExecControlFd, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0 || input_.size() > kMaxControlLine) {
    gone_ = true;
    hang_up();
    return;
  }
  input_.append(bytes.data(), static_cast<std::size_t>(got));
  constexpr std::string_view kSignal = "signal ";
  while (const auto line = next_line()) {
    int number = 0;
    if (!line->starts_with(kSignal)) continue;
    std::from_chars(line->data() + kSignal.size(), line->data() + line->size(), number);
    if (number > 0 && number < NSIG && !leader_ended()) signal_session(leader_, number);
  }
}

void ExecShim::take_exec_signals() {
  signalfd_siginfo info{};
  while (::read(signals_, &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGTERM) hang_up();
  }
  for (int status = 0; child_ > 0;) {
    const pid_t ended = ::waitpid(-1, &status, WNOHANG);
    if (ended <= 0) break;
    if (ended == child_) code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
}

// As in a container of an engine, all processes end with the first.
void ExecShim::end_with_container() {
  closing_ = true;
  kill_at_ = ExecClock::now();
}

void ExecShim::hang_up() {
  if (closing_) return;
  closing_ = true;
  kill_at_ = ExecClock::now() + kExecHangUpTime;
  signal_session(leader_, SIGHUP);
  signal_session(leader_, SIGCONT);
}

}  // namespace

int run_exec_shim() {
  // The agent reaps this first process; init reaps the second.
  if (const pid_t pid = ::fork(); pid != 0) ::_exit(pid < 0 ? 1 : 0);
  ::fcntl(kExecControlFd, F_SETFD, FD_CLOEXEC);
  ::prctl(PR_SET_NAME, "stoker-exec");
  const int signals = open_exec_signals();
  [[maybe_unused]] const int moved = ::chdir("/");
  ::_exit(ExecShim(signals).run());
}

}  // namespace agent::drivers
