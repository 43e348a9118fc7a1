// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/shim_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>

#include "agent/drivers/task_mounts.h"
#include "agent/drivers/task_privileges.h"
#include "agent/gpu/argv.h"
#include "base/utf8.h"

namespace agent::drivers {
namespace {

enum class StartStep : int { Cgroup, Limits, Isolation, User, Folder, Exec };

constexpr std::size_t kMaxDetail = 300;  // less than a pipe writes in one piece

struct Failure {
  StartStep step = StartStep::Exec;
  int error = 0;
  char detail[kMaxDetail] = {};  // of Isolation
};

// The child between fork and exec. A step that fails reports itself through the pipe.
class ForkedChild {
 public:
  ForkedChild(const ShimSpec& spec, pid_t shim, int failures) : spec_(spec), shim_(shim), failures_(failures) {}

  [[noreturn]] void become(std::vector<char*>& argv, std::vector<char*>& environment) {
    join_cgroups();
    ::setsid();
    set_limits();
    ::umask(022);
    if (spec_.isolation && spec_.isolation->mounts) enter_mounts_of(*spec_.isolation);
    // With the rights of the shim: the task's user may be unable to enter the folders above it.
    if (!spec_.must_have_work_folder) enter_folder();
    if (spec_.isolation && spec_.isolation->own_user) give_up_capabilities();
    if (spec_.user) set_user(*spec_.user);
    if (spec_.isolation) restrict(*spec_.isolation);
    if (spec_.must_have_work_folder) enter_folder();
    reset_signals();
    // Last, as a change of user clears it: a command must not outlive its shim.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != shim_) ::_exit(137);
    ::environ = environment.data();
    ::execvp(argv[0], argv.data());
    fail(StartStep::Exec);
  }

 private:
  [[noreturn]] void fail(StartStep step) {
    const Failure failure{step, errno};
    [[maybe_unused]] const ssize_t n = ::write(failures_, &failure, sizeof failure);
    ::_exit(127);
  }

  [[noreturn]] void fail_isolation(const std::string& detail) {
    Failure failure{StartStep::Isolation, errno};
    detail.copy(failure.detail, kMaxDetail - 1);
    [[maybe_unused]] const ssize_t n = ::write(failures_, &failure, sizeof failure);
    ::_exit(127);
  }

  void enter_mounts_of(const ShimIsolation& isolation) {
    const ShimUser user = spec_.user.value_or(ShimUser{::geteuid(), ::getegid(), {}});
    if (const auto entered = enter_mounts(isolation, user); !entered) fail_isolation(entered.error());
  }

  void restrict(const ShimIsolation& isolation) {
    if (!give_up_new_privileges()) fail_isolation("no new privileges");
    if (isolation.landlock() && !enter_landlock(isolation)) fail_isolation("Landlock");
  }

  void join_cgroups() {
    for (const std::string& file : spec_.joins) {
      const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
      if (fd < 0 || ::write(fd, "0", 1) != 1) fail(StartStep::Cgroup);
      ::close(fd);
    }
  }

  void set_limits() {
    for (const ShimLimit& limit : spec_.limits) {
      const rlimit value{limit.soft < 0 ? RLIM_INFINITY : rlim_t(limit.soft),
                         limit.hard < 0 ? RLIM_INFINITY : rlim_t(limit.hard)};
      if (::setrlimit(__rlimit_resource(limit.resource), &value) != 0) fail(StartStep::Limits);
    }
  }

  void set_user(const ShimUser& user) {
    const std::vector<gid_t> groups(user.groups.begin(), user.groups.end());
    // Only root can change user or groups; without a change there is nothing to do.
    const bool same = ::geteuid() == uid_t(user.uid) && ::getegid() == gid_t(user.gid) && ::geteuid() != 0;
    if (same) return;
    if (::setgroups(groups.size(), groups.data()) != 0) fail(StartStep::User);
    if (::setgid(gid_t(user.gid)) != 0 || ::setuid(uid_t(user.uid)) != 0) fail(StartStep::User);
  }

  void enter_folder() {
    if (!spec_.work_folder.empty() && ::chdir(spec_.work_folder.c_str()) == 0) return;
    if (spec_.must_have_work_folder) fail(StartStep::Folder);
    if (::chdir("/") != 0) fail(StartStep::Folder);
  }

  void reset_signals() {
    for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
  }

  const ShimSpec& spec_;
  pid_t shim_;
  int failures_;
};

std::string describe_failure(const ShimSpec& spec, const Failure& failure) {
  std::string why = std::strerror(failure.error);
  why[0] = char(std::tolower(static_cast<unsigned char>(why[0])));
  switch (failure.step) {
    case StartStep::Cgroup: return "joining its cgroup: " + why;
    case StartStep::Limits: return "setting its ulimits: " + why;
    case StartStep::Isolation: return fmt::format("isolating it: {}", failure.detail);
    case StartStep::User: return fmt::format("becoming user {}:{}: {}", spec.user->uid, spec.user->gid, why);
    case StartStep::Folder: return fmt::format("chdir to \"{}\": {}", spec.work_folder, why);
    case StartStep::Exec: break;
  }
  return fmt::format("exec: \"{}\": {}", base::to_printable(spec.command[0]), why);
}

struct Pipe {
  int read = -1, write = -1;
  bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read = ends[0];
    write = ends[1];
    return true;
  }
};

}  // namespace

base::Result<ShimCommand> start_command(const ShimSpec& spec) {
  Pipe out, err, failures;
  if (!out.open() || !err.open() || !failures.open()) return base::Error{std::string("pipe: ") + std::strerror(errno)};
  std::vector<std::string> words = spec.command, variables;
  for (const auto& [name, value] : spec.environment) variables.push_back(name + "=" + value);
  std::vector<char*> argv = gpu::to_argv(words), environment = gpu::to_argv(variables);

  // Its user may open /dev/stdout and /dev/stderr, which are the pipes.
  if (spec.user) {
    for (int fd : {out.write, err.write}) {
      [[maybe_unused]] const int owned = ::fchown(fd, uid_t(spec.user->uid), gid_t(spec.user->gid));
    }
  }
  const pid_t shim = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return base::Error{std::string("fork: ") + std::strerror(errno)};
  if (pid == 0) {
    ::dup2(out.write, 1);
    ::dup2(err.write, 2);
    ForkedChild(spec, shim, failures.write).become(argv, environment);
  }
  for (int fd : {out.write, err.write, failures.write}) ::close(fd);
  // exec closes the pipe. Before that, the child reports a failure through it, or dies.
  Failure failure;
  ssize_t got = 0;
  do got = ::read(failures.read, &failure, sizeof failure);
  while (got < 0 && errno == EINTR);
  ::close(failures.read);
  if (got == sizeof failure) {
    ::waitpid(pid, nullptr, 0);
    return base::Error{describe_failure(spec, failure)};
  }
  for (int fd : {out.read, err.read}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
  return ShimCommand{pid, out.read, err.read};
}

}  // namespace agent::drivers
