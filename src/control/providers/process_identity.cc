// SPDX-License-Identifier: Apache-2.0
#include "control/providers/process_identity.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

namespace control::providers {
namespace asio = boost::asio;
namespace {

std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string boot_id() {
  std::string id = read_whole("/proc/sys/kernel/random/boot_id");
  std::erase(id, '\n');
  return id;
}

std::vector<std::string> command_line(const std::filesystem::path& process) {
  const std::string bytes = read_whole(process / "cmdline");
  std::vector<std::string> words;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\0', at), bytes.size());
    words.push_back(bytes.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

bool has_neighbours(const std::vector<std::string>& words, const std::string& first, const std::string& second) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == first && words[i + 1] == second) return true;
  }
  return false;
}

struct EndWait {
  bool ended = false, late = false;
};

}  // namespace

std::string text(const ProcessIdentity& identity) {
  return std::to_string(identity.pid) + " " + std::to_string(identity.start_ticks) + " " + identity.boot;
}

std::optional<ProcessIdentity> parse_identity(const std::string& text) {
  std::istringstream in(text);
  ProcessIdentity identity;
  if (!(in >> identity.pid >> identity.start_ticks >> identity.boot) || identity.pid <= 1) return std::nullopt;
  return identity;
}

std::optional<ProcessIdentity> identify(pid_t pid) {
  const std::string stat = read_whole("/proc/" + std::to_string(pid) + "/stat");
  // The second field is the program's name in brackets, which may contain anything. The state is the third field, the
  // start the 22nd.
  const std::size_t bracket = stat.rfind(')');
  if (bracket == stat.npos) return std::nullopt;
  std::istringstream fields(stat.substr(bracket + 1));
  std::string state, skipped;
  fields >> state;
  for (int i = 4; i < 22; ++i) fields >> skipped;
  ProcessIdentity identity{pid, 0, boot_id()};
  if (!(fields >> identity.start_ticks) || state == "Z" || state == "X") return std::nullopt;
  return identity;
}

bool is_alive(const ProcessIdentity& identity) { return identify(identity.pid) == identity; }

std::optional<ProcessIdentity> find_process(const std::string& option, const std::string& value,
                                            const std::string& except) {
  std::error_code ended;
  for (std::filesystem::directory_iterator at("/proc", ended), end; !ended && at != end; at.increment(ended)) {
    const std::string name = at->path().filename();
    if (name.find_first_not_of("0123456789") != name.npos) continue;
    const std::vector<std::string> words = command_line(at->path());
    if (!has_neighbours(words, option, value) || std::ranges::find(words, except) != words.end()) continue;
    if (auto identity = identify(std::atoi(name.c_str()))) return identity;
  }
  return std::nullopt;
}

asio::awaitable<bool> wait_for_end(ProcessIdentity identity, std::optional<base::Duration> within) {
  auto executor = co_await asio::this_coro::executor;
  const int descriptor = static_cast<int>(::syscall(SYS_pidfd_open, identity.pid, 0));
  if (descriptor < 0) co_return true;
  asio::posix::stream_descriptor process(executor, descriptor);
  // The descriptor may be of a process that has the same id now.
  if (!is_alive(identity)) co_return true;
  // Shared with the timer's handler, which may run after this has returned.
  auto state = std::make_shared<EndWait>();
  asio::steady_timer timer(executor);
  if (within) {
    timer.expires_after(*within);
    timer.async_wait([state, &process](boost::system::error_code cancelled) {
      if (cancelled || state->ended) return;
      state->late = true;
      process.cancel();
    });
  }
  boost::system::error_code failed;
  co_await process.async_wait(asio::posix::stream_descriptor::wait_read,
                              asio::redirect_error(asio::use_awaitable, failed));
  state->ended = true;
  timer.cancel();
  if (failed && !state->late) throw boost::system::system_error(failed);
  co_return !failed;
}

void send_signal(const ProcessIdentity& identity, int signal) {
  const int descriptor = static_cast<int>(::syscall(SYS_pidfd_open, identity.pid, 0));
  if (descriptor < 0) return;
  if (is_alive(identity)) ::syscall(SYS_pidfd_send_signal, descriptor, signal, nullptr, 0);
  ::close(descriptor);
}

std::optional<int> reap(const ProcessIdentity& identity) {
  int status = 0;
  if (is_alive(identity) || ::waitpid(identity.pid, &status, WNOHANG) != identity.pid) return std::nullopt;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace control::providers
