// SPDX-License-Identifier: Apache-2.0
#include "control/providers/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>

#include "control/providers/process_identity.h"

extern char** environ;

namespace control::providers {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kTailBytes = 64 * 1024, kTailLines = 5;
constexpr mode_t kPrivate = 0600;

// Passwords of databases and object stores, and join tokens.
bool is_secret(const std::string& variable) {
  return variable.starts_with("STOKER_") || variable.starts_with("PG") || variable.starts_with("AWS_");
}

std::vector<std::string> child_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> all;
  for (char** line = environ; *line; ++line) {
    const std::string text = *line;
    if (!is_secret(text) && !added.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

// What the child does before exec.
class SpawnSetup {
 public:
  SpawnSetup(int output, int error) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, error, STDERR_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    ::posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  }
  ~SpawnSetup() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  base::Result<pid_t> spawn(Command& command) {
    std::vector<std::string> environment = child_environment(command.environment);
    pid_t pid = 0;
    const int failed = ::posix_spawnp(&pid, command.words[0].c_str(), &actions_, &attributes_,
                                      pointers_to(command.words).data(), pointers_to(environment).data());
    if (failed == ENOENT) return base::Error{command.words[0] + " was not found"};
    if (failed) return base::Error{command.words[0] + " could not be run: " + std::strerror(failed)};
    return pid;
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// A file in memory that cannot grow. A pipe would have to be read until the last descendant of the command closes it.
class OutputBuffer {
 public:
  OutputBuffer() : fd_(::memfd_create("output", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    if (fd_ < 0 || ::ftruncate(fd_, kMaxOutput) != 0) return;
    ::fcntl(fd_, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK);
  }
  ~OutputBuffer() {
    if (fd_ >= 0) ::close(fd_);
  }
  OutputBuffer(const OutputBuffer&) = delete;
  OutputBuffer& operator=(const OutputBuffer&) = delete;

  int descriptor() const { return fd_; }
  // The command shares our file offset, so it shows how much was written.
  std::string text() const {
    const off_t size = ::lseek(fd_, 0, SEEK_CUR);
    std::string read(static_cast<std::size_t>(std::max<off_t>(size, 0)), '\0');
    const ssize_t got = ::pread(fd_, read.data(), read.size(), 0);
    read.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return read;
  }

 private:
  const int fd_;
};

// Ends a command whose wait is cancelled.
class CommandGuard {
 public:
  explicit CommandGuard(pid_t pid) : pid_(pid) {}
  ~CommandGuard() {
    if (pid_ <= 0) return;
    ::kill(-pid_, SIGKILL);
    wait();
  }
  CommandGuard(const CommandGuard&) = delete;
  CommandGuard& operator=(const CommandGuard&) = delete;

  void kill() const { ::kill(-pid_, SIGKILL); }
  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = 0;
    return status;
  }
  void let_go() { pid_ = 0; }

 private:
  pid_t pid_;
};

}  // namespace

base::Result<pid_t> spawn(Command command, const std::string& output_file) {
  const int output = ::open(output_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kPrivate);
  if (output < 0) return base::Error{output_file + ": " + std::strerror(errno)};
  base::Result<pid_t> pid = SpawnSetup(output, output).spawn(command);
  ::close(output);
  return pid;
}

asio::awaitable<base::Result<Finished>> run_command(Command command, base::Duration deadline) {
  OutputBuffer output, error;
  base::Result<pid_t> pid = SpawnSetup(output.descriptor(), error.descriptor()).spawn(command);
  if (!pid) co_return base::Error{pid.error()};
  CommandGuard guard(*pid);
  const std::optional<ProcessIdentity> identity = identify(*pid);
  bool ended = !identity;
  try {
    if (identity) {
      const bool in_time = co_await wait_for_end(*identity, deadline);
      ended = in_time;
    }
  } catch (const boost::system::system_error&) {
    if (command.finishes_alone) guard.let_go();
    throw;
  }
  if (!ended) guard.kill();
  const int status = guard.wait();
  if (!ended) co_return base::Error{command.words[0] + " did not end in time and was killed: " + last_lines(error.text())};
  Finished finished{0, output.text(), error.text()};
  finished.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  co_return finished;
}

std::string last_lines(const std::string& text, std::size_t most) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    std::erase_if(line, [](char c) { return static_cast<unsigned char>(c) < ' '; });
    if (!line.empty()) lines.push_back(std::move(line));
    at = end + 1;
  }
  std::string joined;
  for (std::size_t i = lines.size() - std::min(lines.size(), kTailLines); i < lines.size(); ++i) {
    joined += (joined.empty() ? "" : "; ") + lines[i];
  }
  return joined.size() > most ? "..." + joined.substr(joined.size() - most) : joined;
}

std::string read_tail(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return "";
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(file.tellg(), 0));
  const std::size_t wanted = std::min(size, kTailBytes);
  std::string text(wanted, '\0');
  file.seekg(static_cast<std::streamoff>(size - wanted));
  file.read(text.data(), static_cast<std::streamsize>(wanted));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

asio::awaitable<void> sleep_for(base::Duration duration) {
  auto executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor, duration);
  co_await timer.async_wait(asio::use_awaitable);
}

}  // namespace control::providers
