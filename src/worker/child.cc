// SPDX-License-Identifier: Apache-2.0
#include "worker/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <cstring>

#include "base/utf8.h"

namespace worker {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kKeptErrors = 2048;
constexpr std::size_t kPipeBytes = 64 * 1024;

struct PipeEnds {
  int read = -1, write = -1;

  bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read = ends[0];
    write = ends[1];
    return true;
  }
  void close() {
    for (int* end : {&read, &write}) {
      if (*end >= 0) ::close(*end);
      *end = -1;
    }
  }
};

struct ChildPipes {
  PipeEnds input, output, errors, failures;
  int output_file = -1;

  ~ChildPipes() {
    for (PipeEnds* pipe : {&input, &output, &errors, &failures}) pipe->close();
    if (output_file >= 0) ::close(output_file);
  }
};

// After fork: only calls that are safe there.
[[noreturn]] void become(char* const* argv, const ChildPipes& pipes, pid_t parent) {
  ::setpgid(0, 0);
  // Ends with the worker, also if that is killed.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  const int null = ::open("/dev/null", O_RDONLY);
  ::dup2(pipes.input.read >= 0 ? pipes.input.read : null, STDIN_FILENO);
  int output = pipes.errors.write;
  if (pipes.output.write >= 0) output = pipes.output.write;
  if (pipes.output_file >= 0) output = pipes.output_file;
  ::dup2(output, STDOUT_FILENO);
  ::dup2(pipes.errors.write, STDERR_FILENO);
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execvp(argv[0], argv);
  const int error = errno;
  (void)!::write(pipes.failures.write, &error, sizeof error);
  ::_exit(127);
}

// exec closes the pipe. Before that, the child reports its failure through it.
int error_of_exec(int failures) {
  int error = 0;
  ssize_t got = 0;
  do got = ::read(failures, &error, sizeof error);
  while (got < 0 && errno == EINTR);
  return got == sizeof error ? error : 0;
}

int release_end(int& end) {
  const int fd = end;
  end = -1;
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

bool open_pipes(const ChildCommand& command, ChildPipes& pipes) {
  if (!pipes.errors.open() || !pipes.failures.open()) return false;
  if (command.pipes && (!pipes.input.open() || !pipes.output.open())) return false;
  if (command.output_file.empty()) return true;
  pipes.output_file = ::open(command.output_file.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  return pipes.output_file >= 0;
}

}  // namespace

std::vector<std::string> command_words(const std::string& command) {
  if (::access("/bin/sh", X_OK) == 0) return {"/bin/sh", "-c", command};
  return base::split_words(command);
}

Child::Child(const asio::any_io_executor& executor)
    : process_(executor), input_(executor), output_(executor), errors_(executor) {}

base::Result<std::unique_ptr<Child>> Child::start(const asio::any_io_executor& executor, ChildCommand command) {
  ChildPipes pipes;
  if (command.words.empty()) return base::Error{"the command is empty"};
  if (!open_pipes(command, pipes)) return base::Error{std::string("pipe: ") + std::strerror(errno)};
  std::vector<char*> argv;
  for (std::string& word : command.words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return base::Error{std::string("fork: ") + std::strerror(errno)};
  if (pid == 0) become(argv.data(), pipes, parent);
  ::setpgid(pid, pid);  // here too: a kill must not come before the child's own call
  ::close(pipes.failures.write);
  pipes.failures.write = -1;
  if (const int error = error_of_exec(pipes.failures.read)) {
    ::waitpid(pid, nullptr, 0);
    return base::Error{"cannot run " + command.words[0] + ": " + std::strerror(error)};
  }
  std::unique_ptr<Child> child(new Child(executor));
  child->pid_ = pid;
  child->process_.assign(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  child->errors_.assign(release_end(pipes.errors.read));
  if (command.pipes) {
    child->input_.assign(release_end(pipes.input.write));
    child->output_.assign(release_end(pipes.output.read));
  }
  return child;
}

Child::~Child() {
  kill();
  if (!status_) ::waitpid(pid_, nullptr, 0);
}

void Child::kill() {
  // The group exists as long as its leader was not reaped, or another member runs.
  ::kill(-pid_, SIGKILL);
}

asio::awaitable<std::optional<int>> Child::wait(base::Duration longest) {
  if (status_) co_return status_;
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor, longest);
  // Shared with the timer's handler, which may run when the wait is over.
  auto waiting = std::make_shared<bool>(true);
  timer.async_wait([this, waiting](const boost::system::error_code& cancelled) {
    if (!cancelled && *waiting) process_.cancel();
  });
  boost::system::error_code failed;
  auto token = asio::redirect_error(asio::use_awaitable, failed);
  co_await process_.async_wait(Pipe::wait_read, token);
  *waiting = false;
  timer.cancel();
  int status = 0;
  if (::waitpid(pid_, &status, failed ? WNOHANG : 0) != pid_) co_return std::nullopt;
  status_ = status;
  co_return status_;
}

asio::awaitable<void> Child::copy_errors() {
  std::string buffer(kPipeBytes, '\0');
  for (;;) {
    boost::system::error_code failed;
    auto token = asio::redirect_error(asio::use_awaitable, failed);
    const std::size_t got = co_await errors_.async_read_some(asio::buffer(buffer), token);
    if (failed) co_return;
    copy_error(std::string_view(buffer).substr(0, got));
  }
}

void Child::copy_error(std::string_view text) {
  (void)!::write(STDERR_FILENO, text.data(), text.size());
  last_errors_ += text;
  if (last_errors_.size() > kKeptErrors) last_errors_.erase(0, last_errors_.size() - kKeptErrors);
}

std::string Child::last_errors() {
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = ::read(errors_.native_handle(), buffer.data(), buffer.size());
    if (got <= 0) break;
    copy_error(std::string_view(buffer.data(), std::size_t(got)));
  }
  const std::size_t first = last_errors_.find_first_not_of(" \t\r\n"), last = last_errors_.find_last_not_of(" \t\r\n");
  return first == last_errors_.npos ? "" : base::to_printable(last_errors_.substr(first, last - first + 1));
}

std::string describe_status(int status) {
  if (WIFEXITED(status)) return "exit code " + std::to_string(WEXITSTATUS(status));
  const char* name = ::sigabbrev_np(WTERMSIG(status));
  return name ? "killed by SIG" + std::string(name) : "killed by signal " + std::to_string(WTERMSIG(status));
}

}  // namespace worker
