// SPDX-License-Identifier: Apache-2.0
#include "cli/local_tar.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

extern char** environ;

namespace cli {

LocalTar::LocalTar(Use use, const std::vector<std::string>& arguments) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const bool creates = use == Use::Create;
  const int theirs = creates ? ends[1] : ends[0];
  descriptor_ = creates ? ends[0] : ends[1];
  std::vector<char*> words;
  std::string name = "tar";
  words.push_back(name.data());
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, theirs, creates ? STDOUT_FILENO : STDIN_FILENO);
  // This process blocks the signals that tar shall get.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  const int error = ::posix_spawnp(&process_, "tar", &actions, &attributes, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  ::close(theirs);
  if (error == 0) return;
  ::close(descriptor_);
  throw std::system_error(error, std::generic_category(), "the program tar could not be started on this machine");
}

LocalTar::~LocalTar() { finish(); }

int LocalTar::finish() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  if (process_ < 0) return 0;
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace cli
