// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/command.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>

#include "agent/gpu/argv.h"

extern char** environ;

namespace agent::gpu {
namespace {

namespace asio = boost::asio;

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> all;
  for (char** line = environ; *line; ++line) {
    std::string text = *line;
    if (!added.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

// What the child does before exec.
class SpawnActions {
 public:
  SpawnActions(int input, const std::string& output_file) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    ::posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, output_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                       0644);
    ::posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
    ::posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    // Its own session: a daemon that it starts must not end with our terminal.
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
  }
  ~SpawnActions() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

struct CommandWait {
  bool ended = false;
  bool late = false;
};

base::Result<pid_t> spawn_command(Command& command) {
  int input[2];
  if (::pipe2(input, O_CLOEXEC) != 0) return base::Error{std::strerror(errno)};
  (void)!::write(input[1], command.input.data(), command.input.size());
  ::close(input[1]);
  SpawnActions prepared(input[0], command.output_file);
  std::vector<std::string> environment = merged_environment(command.environment);
  pid_t pid = 0;
  int failed = ::posix_spawnp(&pid, command.words[0].c_str(), &prepared.actions_, &prepared.attributes_,
                              to_argv(command.words).data(), to_argv(environment).data());
  ::close(input[0]);
  if (failed == ENOENT) return base::Error{command.words[0] + " was not found"};
  if (failed) return base::Error{command.words[0] + " could not be run: " + std::strerror(failed)};
  return pid;
}

}  // namespace

asio::awaitable<base::Result<int>> run_command(Command command) {
  base::Result<pid_t> pid = spawn_command(command);
  if (!pid) co_return base::Error{pid.error()};
  auto executor = co_await asio::this_coro::executor;
  asio::posix::stream_descriptor process(executor, static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0)));
  asio::steady_timer timer(executor, command.deadline);
  pid_t child = *pid;
  // Shared with the timer's handler, which may run after this has returned.
  auto state = std::make_shared<CommandWait>();
  timer.async_wait([child, state](boost::system::error_code cancelled) {
    if (cancelled || state->ended) return;
    state->late = true;
    ::kill(child, SIGKILL);
  });
  boost::system::error_code failed;
  co_await process.async_wait(asio::posix::stream_descriptor::wait_read,
                              asio::redirect_error(asio::use_awaitable, failed));
  // Only this reaps it, so until now its process id cannot belong to another process.
  state->ended = true;
  timer.cancel();
  if (failed) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (state->late || failed) co_return base::Error{command.words[0] + " did not end in time and was killed"};
  if (WIFSIGNALED(status)) co_return 128 + WTERMSIG(status);
  co_return WEXITSTATUS(status);
}

}  // namespace agent::gpu
