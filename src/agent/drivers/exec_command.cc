// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/exec_command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "agent/drivers/task_privileges.h"
#include "agent/drivers/task_process.h"
#include "agent/gpu/argv.h"
#include "base/utf8.h"

namespace agent::drivers {
namespace {

constexpr int kCannotRun = 126, kNotFound = 127;  // as a shell and Docker
constexpr std::size_t kMaxStartError = 1024;

void set_variable(std::vector<std::string>& variables, const std::string& name, const std::string& value, bool replace) {
  const auto found = std::ranges::find_if(variables, [&](const std::string& one) { return one.starts_with(name + "="); });
  if (found == variables.end()) {
    variables.push_back(name + "=" + value);
  } else if (replace) {
    *found = name + "=" + value;
  }
}

// Between fork and exec. What fails is written to the pipe: a byte with the exit code, and the reason. Success is the
// number of the command's process, then the end of the pipe.
class ExecChild {
 public:
  ExecChild(const ExecSpec& spec, const TaskProcess& task, pid_t parent, int report)
      : spec_(spec), task_(task), parent_(parent), report_(report) {}

  [[noreturn]] void become() {
    join();
    own_streams();
    check(enter_namespaces(task_));
    if (task_.in_namespace("pid")) fork_into_namespace();
    ::setsid();
    if (spec_.terminal && ::ioctl(0, TIOCSCTTY, 0) != 0) fail(kCannotRun, "opening its terminal");
    check(take_rights(task_));
    if (spec_.isolation) restrict(*spec_.isolation);
    reset();
    // Last, as a change of user clears it: a command must not outlive its shim.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!task_.in_namespace("pid") && ::getppid() != parent_) ::_exit(137);
    run();
  }

 private:
  [[noreturn]] void fail(int code, const std::string& step) {
    const std::string why = step.find(": ") == step.npos ? step + ": " + std::strerror(errno) : step;
    const std::string text = std::string(1, static_cast<char>(code)) + why.substr(0, kMaxStartError);
    [[maybe_unused]] const ssize_t written = ::write(report_, text.data(), text.size());
    ::_exit(code);
  }
  void check(const std::string& error) {
    if (!error.empty()) fail(kCannotRun, error);
  }

  // The terminal belongs to the user of the command, as after a login, and so do the pipes, which it may open as
  // /dev/stdout. Never /dev/null. Without root they belong to that user already.
  void own_streams() {
    for (int fd : {0, 1, 2}) {
      struct stat file {};
      const bool ours = spec_.terminal || (::fstat(fd, &file) == 0 && S_ISFIFO(file.st_mode));
      if (!ours) continue;
      [[maybe_unused]] const int owned = ::fchown(fd, task_.rights.uid, static_cast<gid_t>(-1));
    }
  }

  void join() {
    for (const std::string& file : spec_.joins) {
      const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
      if (fd < 0 || ::write(fd, "0", 1) != 1) fail(kCannotRun, "joining its cgroup");
      ::close(fd);
    }
  }

  // Only a child is in the namespace. This process stays as its parent, and ends as it does.
  void fork_into_namespace() {
    const pid_t pid = ::fork();
    if (pid < 0) fail(kCannotRun, "fork");
    if (pid == 0) return;
    const std::string text = std::string(1, '\0') + std::to_string(pid) + "\n";
    [[maybe_unused]] const ssize_t written = ::write(report_, text.data(), text.size());
    ::close(report_);
    for (int fd : {0, 1, 2}) ::close(fd);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent_) ::kill(pid, SIGKILL);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    ::_exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
  }

  // A process that the kernel's Landlock restricts shows nothing of it to others.
  void restrict(const ShimIsolation& isolation) {
    if (isolation.landlock() && !enter_landlock(isolation)) fail(kCannotRun, "Landlock");
  }

  void reset() {
    for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
  }

  [[noreturn]] void run() {
    std::vector<std::string> words = spec_.command, variables = task_.environment;
    if (!spec_.term.empty()) set_variable(variables, "TERM", spec_.term, true);
    set_variable(variables, "LANG", "C.UTF-8", false);
    std::vector<char*> argv = gpu::to_argv(words), environment = gpu::to_argv(variables);
    ::environ = environment.data();
    ::execvp(argv[0], argv.data());
    const bool missing = errno == ENOENT;
    fail(missing ? kNotFound : kCannotRun, "exec \"" + base::to_printable(words[0]) + "\"");
  }

  const ExecSpec& spec_;
  const TaskProcess& task_;
  pid_t parent_;
  int report_;
};

// Everything up to the end of the pipe, which exec closes.
std::string read_report(int fd) {
  std::string text;
  std::array<char, 4096> bytes;
  for (;;) {
    const ssize_t got = ::read(fd, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(bytes.data(), static_cast<std::size_t>(got));
  }
}

// A process that ends meanwhile may make its files unreadable.
base::Result<TaskProcess> look_at_target(const ExecSpec& spec) {
  try {
    return look_at_process(static_cast<pid_t>(spec.target));
  } catch (const std::exception& error) {
    return base::Error{error.what()};
  }
}

ExecStart exec_failure(int code, std::string error) { return {.code = code, .error = std::move(error)}; }

}  // namespace

ExecStart start_exec(const ExecSpec& spec) {
  if (spec.command.empty()) return exec_failure(kCannotRun, "no command");
  const auto task = look_at_target(spec);
  if (!task) return exec_failure(kCannotRun, task.error());
  std::array<int, 2> report{};
  if (::pipe2(report.data(), O_CLOEXEC) != 0) return exec_failure(kCannotRun, std::string("pipe: ") + std::strerror(errno));
  const pid_t self = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return exec_failure(kCannotRun, std::string("fork: ") + std::strerror(errno));
  if (pid == 0) ExecChild(spec, *task, self, report[1]).become();
  ::close(report[1]);
  std::string text = read_report(report[0]);
  ::close(report[0]);
  ExecStart started{.child = pid, .leader = pid};
  if (!text.empty() && text[0] == '\0') {
    const std::size_t end = text.find('\n');
    started.leader = static_cast<pid_t>(std::atoi(text.substr(1, end).c_str()));
    text.erase(0, end == text.npos ? end : end + 1);
  }
  if (text.empty()) return started;
  ::waitpid(pid, nullptr, 0);
  return exec_failure(static_cast<unsigned char>(text[0]), text.substr(1));
}

}  // namespace agent::drivers
