// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/process_state.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <vector>

namespace agent::drivers {
namespace {

constexpr int kKilledExitCode = 128 + SIGKILL;

// nullopt where the process has ended, even during the read.
std::optional<std::string> read_proc(pid_t pid, const char* file) {
  try {
    return read_text("/proc/" + std::to_string(pid) + "/" + file);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

struct SessionProcess {
  pid_t pid = 0;
  std::int64_t ticks = 0;  // CPU time
  std::int64_t pages = 0;
};

std::vector<pid_t> all_processes() {
  std::vector<pid_t> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (bad == std::errc() && end == name.data() + name.size()) found.push_back(pid);
  }
  return found;
}

// Not by the owner of its folder in /proc, which is root's where a process may not be dumped.
bool runs_as(pid_t pid, uid_t uid) {
  std::istringstream lines(read_proc(pid, "status").value_or(""));
  bool dead = true, same = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("State:\t")) dead = line[7] == 'Z' || line[7] == 'X';
    if (line.starts_with("Uid:\t")) same = line.starts_with("Uid:\t" + std::to_string(uid) + "\t");
  }
  return same && !dead;
}

std::vector<SessionProcess> processes_in_session(pid_t leader) {
  std::vector<SessionProcess> found;
  for (const pid_t pid : all_processes()) {
    SessionProcess process{.pid = pid};
    const auto text = read_proc(pid, "stat");
    const std::size_t name_end = text ? text->rfind(')') : std::string::npos;
    if (name_end == std::string::npos) continue;
    // From field 3: state, parent, group, session; 14 and 15 are the times, 24 the pages.
    std::istringstream fields(text->substr(name_end + 1));
    std::vector<std::string> values;
    for (std::string value; values.size() < 22 && fields >> value;) values.push_back(value);
    if (values.size() < 22 || values[3] != std::to_string(leader)) continue;
    if (values[0] == "Z" || values[0] == "X") continue;  // dead
    process.ticks = std::stoll(values[11]) + std::stoll(values[12]);
    process.pages = std::stoll(values[21]);
    found.push_back(process);
  }
  return found;
}

}  // namespace

bool signal_session(pid_t leader, int signal) {
  const std::vector<SessionProcess> processes = processes_in_session(leader);
  for (const SessionProcess& process : processes) ::kill(process.pid, signal);
  return processes.empty();
}

bool kill_processes_of(uid_t uid) {
  const std::vector<pid_t> processes = all_processes();
  const bool none = std::none_of(processes.begin(), processes.end(), [&](pid_t pid) { return runs_as(pid, uid); });
  if (none || uid == 0) return none;
  // As that user the kernel kills all of them at once: none can fork in between, and no number can have been reused.
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setresuid(uid, uid, uid) == 0 && ::geteuid() == uid) ::kill(-1, SIGKILL);
    ::_exit(0);
  }
  if (child > 0) ::waitpid(child, nullptr, 0);
  return false;
}

namespace {

// While a process of the session lives, its number is not reused. If a process with that number has
// another start time, the session is over and the number was reused. Returns true when the session
// has no process left.
bool kill_session(const ShimStarted& started) {
  const auto pid = pid_t(started.pid);
  const auto ticks = start_ticks(pid);
  if (pid <= 1 || (ticks && *ticks != started.start_ticks)) return true;
  signal_session(pid, SIGKILL);
  return signal_session(pid, 0);
}

}  // namespace

Phase phase_of(const std::string& folder, const ShimSpec& spec) {
  if (read_exit(folder)) return Phase::Exited;
  if (lock_holder(folder)) return Phase::Running;
  // Read again: a shim writes its exit before it releases the lock.
  if (read_exit(folder) || read_started(folder) || spec.boot_id != boot_id()) return Phase::Exited;
  return Phase::Created;
}

base::Result<ShimExit> settle(const std::string& folder, const ShimSpec& spec, const Cgroups& cgroups) {
  if (auto exit = read_exit(folder)) return *exit;
  ShimExit exit{kKilledExitCode, false, "", now_ms()};
  if (spec.boot_id != boot_id()) {
    exit.error = "the machine rebooted while it ran";
  } else {
    exit.error = "its shim was killed, so its exit status is unknown; its remaining processes were killed";
    exit.out_of_memory = oom_kills(spec.oom_file) > 0;
    bool gone = spec.cgroup.empty() || cgroups.kill(spec.cgroup);
    if (const auto started = read_started(folder)) gone = kill_session(*started) && gone;
    if (!gone) return base::Error{"killed, but still running: " + folder};
  }
  (void)write_part(folder, "exit.json", exit);
  return exit;
}

CgroupUsage session_usage(pid_t leader) {
  CgroupUsage usage;
  for (const SessionProcess& process : processes_in_session(leader)) {
    usage.cpu_nanos += process.ticks * (1'000'000'000 / ::sysconf(_SC_CLK_TCK));
    usage.memory_bytes += process.pages * ::sysconf(_SC_PAGESIZE);
  }
  return usage;
}

}  // namespace agent::drivers
