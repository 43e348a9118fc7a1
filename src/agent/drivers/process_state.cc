// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/process_state.h"

#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <sstream>
#include <vector>

namespace agent::drivers {
namespace {

constexpr int kKilledExitCode = 128 + SIGKILL;

struct SessionProcess {
  pid_t pid = 0;
  std::int64_t ticks = 0;  // CPU time
  std::int64_t pages = 0;
};

std::vector<SessionProcess> processes_in_session(pid_t leader) {
  std::vector<SessionProcess> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    SessionProcess process;
    const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), process.pid);
    if (bad != std::errc() || end != name.data() + name.size()) continue;
    const auto text = read_text(entry.path().string() + "/stat");
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

// While a process of the session lives, its number is not reused. If a process with that number has
// another start time, the session is over and the number was reused. Returns true when the session
// has no process left.
bool kill_session(const ShimStarted& started) {
  const auto pid = pid_t(started.pid);
  const auto ticks = start_ticks(pid);
  if (pid <= 1 || (ticks && *ticks != started.start_ticks)) return true;
  for (const SessionProcess& process : processes_in_session(pid)) ::kill(process.pid, SIGKILL);
  return processes_in_session(pid).empty();
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
