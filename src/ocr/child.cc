// SPDX-License-Identifier: Apache-2.0
#include "ocr/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <system_error>

namespace ocr {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> found;
  for (const std::string& text : texts) found.push_back(const_cast<char*>(text.c_str()));
  found.push_back(nullptr);
  return found;
}

// A source may be among the targets 0 to 2, so all are moved away first.
void place_descriptors(const ChildCommand& command) {
  const int sources[] = {command.input, command.output, command.errors};
  int moved[] = {-1, -1, -1};
  for (int i = 0; i < 3; ++i) {
    if (sources[i] >= 0) moved[i] = ::fcntl(sources[i], F_DUPFD_CLOEXEC, 3);
  }
  for (int i = 0; i < 3; ++i) {
    if (moved[i] >= 0) ::dup2(moved[i], i);
  }
}

// Runs in the new process. This process has one thread, so that all of it may be used after fork.
[[noreturn]] void become(const ChildCommand& command) {
  try {
    const std::vector<char*> arguments = pointers(command.arguments), environment = pointers(command.environment);
    place_descriptors(command);
    leave_network();
    if (command.hidden_files) {
      hide_files();
      filter_calls();
    }
    // Last: this copy of the parent may be larger than the program may become.
    limit_resources(command.limits);
    ::execvpe(arguments[0], arguments.data(), environment.data());
    std::fprintf(stderr, "can't run %s: %s\n", command.arguments[0].c_str(), std::strerror(errno));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  ::_exit(kNotStarted);
}

}  // namespace

int milliseconds_until(Deadline deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
  return int(std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max()));
}

Child::Child(const ChildCommand& command) : pid_(::fork()) {
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) become(command);
  handle_ = Descriptor(int(::syscall(SYS_pidfd_open, pid_, 0)));
  if (!handle_) {
    const int error = errno;
    end();
    throw std::system_error(error, std::generic_category(), "pidfd_open");
  }
}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(handle_, other.handle_);
  return *this;
}

bool Child::has_ended() const { return pid_ <= 0 || wait({}); }

bool Child::wait(Deadline deadline) const {
  for (;;) {
    pollfd ended{handle_.get(), POLLIN, 0};
    const int found = ::poll(&ended, 1, milliseconds_until(deadline));
    if (found > 0) return true;
    if (found == 0 || errno != EINTR) return false;
  }
}

int Child::end() {
  if (pid_ <= 0) return 0;
  ::kill(pid_, SIGKILL);  // nothing for one that has ended and was not waited for
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  handle_.reset();
  return status;
}

std::string describe_status(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return "ended with signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  }
  return "ended with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace ocr
