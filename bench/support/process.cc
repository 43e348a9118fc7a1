// SPDX-License-Identifier: Apache-2.0
#include "support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> environment_with(const std::vector<std::string>& more) {
  std::vector<std::string> all = more;
  for (char** entry = environ; *entry; ++entry) all.emplace_back(*entry);
  return all;  // the first of two with one name counts
}

// In the child, between fork and exec: nothing here may allocate.
[[noreturn]] void become(char* const* arguments, char* const* environment, int output, int errors) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  ::execve(arguments[0], arguments, environment);
  ::_exit(127);
}

// Fields 5 (group), 14 and 15 (user and system time) of /proc/PID/stat; they follow
// the program's name, which may contain anything, in parentheses.
struct Stat {
  pid_t group = 0;
  long ticks = 0;
};
Stat read_stat(const std::filesystem::path& folder) {
  std::ifstream file(folder / "stat");
  std::string line;
  std::getline(file, line);
  std::istringstream fields(line.substr(std::min(line.rfind(')') + 1, line.size())));
  std::string skipped;
  Stat stat;
  fields >> skipped >> skipped >> stat.group;
  for (int i = 6; i < 14; ++i) fields >> skipped;
  long user = 0, system = 0;
  fields >> user >> system;
  stat.ticks = user + system;
  return stat;
}

}  // namespace

Process::Process(const Command& command) : log_file_(command.log_file) {
  int output[2];
  if (::pipe2(output, O_CLOEXEC) != 0) throw std::runtime_error("pipe: " + std::string(std::strerror(errno)));
  int errors = ::open(log_file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const std::vector<std::string> environment = environment_with(command.environment);
  const auto arguments = pointers(command.arguments), variables = pointers(environment);
  pid_ = ::fork();
  if (pid_ == 0) become(arguments.data(), variables.data(), output[1], errors);
  ::close(output[1]);
  ::close(errors);
  output_ = output[0];
  if (pid_ < 0) throw std::runtime_error("fork: " + std::string(std::strerror(errno)));
  ::setpgid(pid_, pid_);
}

Process::~Process() {
  end_with_group(SIGKILL);
  if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  ::close(output_);
}

std::string Process::wait_for_line(std::string_view mark, Seconds patience) {
  const auto until = Clock::now() + patience;
  std::string text;
  while (Clock::now() < until) {
    pollfd readable = {output_, POLLIN, 0};
    if (::poll(&readable, 1, 100) <= 0) continue;
    char buffer[4096];
    ssize_t got = ::read(output_, buffer, sizeof buffer);
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
    std::size_t at = text.find(mark);
    std::size_t end = at == text.npos ? at : text.find('\n', at);
    if (end == text.npos) continue;
    std::size_t begin = text.rfind('\n', at) + 1;
    return text.substr(begin, end - begin);
  }
  throw std::runtime_error("the server did not become ready; see " + log_file_);
}

bool Process::running() { return pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) == 0; }

void Process::stop(Seconds patience) {
  if (pid_ <= 0) return;
  const auto until = Clock::now() + patience;
  end_with_group(SIGTERM);
  while (Clock::now() < until) {
    if (::waitpid(pid_, nullptr, WNOHANG) != 0) {
      end_with_group(SIGKILL);  // its remaining children
      pid_ = -1;
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  end_with_group(SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void Process::end_with_group(int signal) {
  if (pid_ > 0) ::kill(-pid_, signal);
}

Seconds Process::cpu() const {
  long ticks = 0;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", gone)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != name.npos) continue;
    const Stat stat = read_stat(entry.path());
    if (stat.group == pid_) ticks += stat.ticks;
  }
  return Seconds(static_cast<double>(ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK)));
}

std::uint64_t Process::peak_memory() const {
  std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
  }
  return 0;
}

Seconds own_cpu() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  auto seconds = [](const timeval& time) { return Seconds(double(time.tv_sec) + double(time.tv_usec) / 1e6); };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(std::string(path ? path : "") + ":/usr/sbin:/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = folder + "/" + name;
    if (!folder.empty() && ::access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

std::string own_folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

}  // namespace bench
