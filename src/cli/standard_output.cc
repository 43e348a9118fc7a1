// SPDX-License-Identifier: Apache-2.0
#include "cli/standard_output.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <optional>

namespace cli {
namespace {

bool is_pipe(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

}  // namespace

ClosedPipe::ClosedPipe(int descriptor, std::function<void()> when_closed) : when_closed_(std::move(when_closed)) {
  if (!is_pipe(descriptor) || ::pipe(stop_) != 0) return;
  // Signals are for other threads: see base::StopSignals.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this, descriptor] { watch(descriptor); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ClosedPipe::~ClosedPipe() {
  if (!thread_.joinable()) return;
  ::close(stop_[1]);
  thread_.join();
  ::close(stop_[0]);
}

void ClosedPipe::watch(int descriptor) {
  pollfd waits[2] = {{descriptor, 0, 0}, {stop_[0], POLLIN, 0}};
  while (::poll(waits, 2, -1) < 0 && errno == EINTR) {
  }
  if (waits[0].revents != 0 && waits[1].revents == 0) when_closed_();
}

int run_with_standard_output(const std::function<int()>& command, WhenClosed when_closed) {
  // A write to a closed pipe fails and does not end the process: `run` stops its task first.
  ::signal(SIGPIPE, SIG_IGN);
  std::optional<ClosedPipe> watch;
  if (when_closed == WhenClosed::Ends) watch.emplace(STDOUT_FILENO, [] { ::_exit(kClosedPipe); });
  const int status = command();
  // A reader that has everything it wants may close the pipe after the last flush: that is no longer this command's end.
  watch.reset();
  errno = 0;
  std::cout.flush();
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  if (written) return status;
  const int error = errno;
  if (error == EPIPE) return kClosedPipe;
  std::fprintf(stderr, "stoker: standard output cannot be written%s%s\n", error ? ": " : "", error ? std::strerror(error) : "");
  return status == 0 ? 1 : status;
}

}  // namespace cli
