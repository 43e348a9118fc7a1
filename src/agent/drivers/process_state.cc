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

constexpr int kKilled = 128 + SIGKILL;

struct Process {
  pid_t pid = 0;
  std::int64_t ticks = 0;  // of processor time
  std::int64_t pages = 0;
};

std::vector<Process> in_session(pid_t leader) {
  std::vector<Process> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    Process process;
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
    if (values[0] == "Z" || values[0] == "X") continue;  // corpses
    process.ticks = std::stoll(values[11]) + std::stoll(values[12]);
    process.pages = std::stoll(values[21]);
    found.push_back(process);
  }
  return found;
}

// While one of its session lives its number is given to nobody else. A leader of that number that
// started at another time says that the session is long over, and the number somebody else's.
// True: nothing is left of it.
bool kill_session(const ShimStarted& started) {
  const auto pid = pid_t(started.pid);
  const auto ticks = start_ticks(pid);
  if (pid <= 1 || (ticks && *ticks != started.start_ticks)) return true;
  for (const Process& process : in_session(pid)) ::kill(process.pid, SIGKILL);
  return in_session(pid).empty();
}

}  // namespace

Phase phase_of(const std::string& folder, const ShimSpec& spec) {
  if (read_exit(folder)) return Phase::Exited;
  if (lock_holder(folder)) return Phase::Running;
  // Again: a shim writes its exit before it lets go of the lock.
  if (read_exit(folder) || read_started(folder) || spec.boot_id != boot_id()) return Phase::Exited;
  return Phase::Created;
}

base::Result<ShimExit> settle(const std::string& folder, const ShimSpec& spec, const Cgroups& cgroups) {
  if (auto exit = read_exit(folder)) return *exit;
  ShimExit exit{kKilled, false, "", now_ms()};
  if (spec.boot_id != boot_id()) {
    exit.error = "the machine was started again, and nothing of before runs on it";
  } else {
    exit.error = "its shim was killed, so that its own exit status is not known; what was left of it has been killed";
    exit.out_of_memory = oom_kills(spec.oom_file) > 0;
    bool gone = spec.cgroup.empty() || cgroups.kill(spec.cgroup);
    if (const auto started = read_started(folder)) gone = kill_session(*started) && gone;
    if (!gone) return base::Error{"it was killed and has not ended: " + folder};
  }
  (void)write_part(folder, "exit.json", exit);
  return exit;
}

CgroupUsage session_usage(pid_t leader) {
  CgroupUsage usage;
  for (const Process& process : in_session(leader)) {
    usage.cpu_nanos += process.ticks * (1'000'000'000 / ::sysconf(_SC_CLK_TCK));
    usage.memory_bytes += process.pages * ::sysconf(_SC_PAGESIZE);
  }
  return usage;
}

}  // namespace agent::drivers
