// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/cgroup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace agent::drivers {
namespace {

constexpr std::string_view kControllers[] = {"memory", "cpu", "cpuacct", "pids", "name=systemd"};
constexpr std::int64_t kPeriodMicros = 100'000;  // as Docker and ECS
constexpr int kKillRounds = 50;                  // a millisecond apart

bool write_file(const std::string& path, std::string_view text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = ::write(fd, text.data(), text.size()) == ssize_t(text.size());
  ::close(fd);
  return written;
}

std::string read_file(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

std::int64_t to_number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The value of a line "name 42".
std::int64_t value_of_line(const std::string& text, std::string_view name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(name) && line.size() > name.size() && line[name.size()] == ' ') {
      return to_number(std::string_view(line).substr(name.size() + 1));
    }
  }
  return 0;
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool starts = at == 0 || text[at - 1] == ',' || text[at - 1] == ' ';
    if (starts && (end == text.size() || text[end] == ',' || text[end] == ' ' || text[end] == '\n')) return true;
  }
  return false;
}

// Maps 2..262144 shares onto weights 1..10000, as runc does.
std::int64_t weight_of(std::int64_t shares) {
  return 1 + (std::clamp<std::int64_t>(shares, 2, 262'144) - 2) * 9999 / 262'142;
}

// One at a time: a missing controller must not prevent the others.
void delegate_controllers(const std::string& folder) {
  for (std::string_view controller : {"memory", "cpu", "pids"}) {
    write_file(folder + "/cgroup.subtree_control", fmt::format("+{}", controller));
  }
}

bool make_folders(const std::string& mount, const std::string& path, bool unified) {
  for (std::size_t slash = 0; slash != path.npos;) {
    slash = path.find('/', slash + 1);
    const std::string folder = mount + "/" + path.substr(0, slash);
    if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) return false;
    if (unified && slash != path.npos) delegate_controllers(folder);
  }
  return true;
}

}  // namespace

Cgroups Cgroups::find(const std::string& mountinfo_file) {
  Cgroups found;
  std::ifstream mounts(mountinfo_file);
  for (std::string line; std::getline(mounts, line);) {
    // 36 35 98:0 /root /mount/point options... - type source super-options
    const std::size_t dash = line.find(" - ");
    if (dash == line.npos) continue;
    std::string skipped, point, type, source, options;
    std::istringstream(line) >> skipped >> skipped >> skipped >> skipped >> point;
    std::istringstream(line.substr(dash + 3)) >> type >> source >> options;
    if (type == "cgroup" || type == "cgroup2") found.add(point, type, options);
  }
  return found;
}

void Cgroups::add(const std::string& mount, std::string_view type, std::string_view options) {
  if (::access(mount.c_str(), W_OK) != 0) return;
  Hierarchy hierarchy{mount, {}, type == "cgroup2"};
  std::string available(options);
  if (hierarchy.unified) {
    delegate_controllers(mount);  // fails in a container that has processes at its root
    available = read_file(mount + "/cgroup.subtree_control");
  }
  for (std::string_view controller : kControllers) {
    if (has_word(available, controller)) hierarchy.controllers.emplace_back(controller);
  }
  if (hierarchy.unified || !hierarchy.controllers.empty()) {
    hierarchies_.push_back(std::move(hierarchy));
  } else {
    other_mounts_.push_back(mount);
  }
}

std::string Cgroups::kind() const {
  if (!limits_memory()) return "none";
  if (is_unified("memory")) return "v2";
  const bool both = std::any_of(hierarchies_.begin(), hierarchies_.end(), [](const Hierarchy& h) { return h.unified; });
  return both ? "hybrid" : "v1";
}

std::string Cgroups::mount_of(std::string_view controller) const {
  for (const Hierarchy& hierarchy : hierarchies_) {
    if (std::count(hierarchy.controllers.begin(), hierarchy.controllers.end(), controller)) return hierarchy.mount;
  }
  return "";
}

bool Cgroups::is_unified(std::string_view controller) const {
  const std::string mount = mount_of(controller);
  return std::any_of(hierarchies_.begin(), hierarchies_.end(),
                     [&](const Hierarchy& h) { return h.unified && h.mount == mount; });
}

base::Result<Nothing> Cgroups::create(const std::string& path, const CgroupLimits& limits) const {
  for (const Hierarchy& hierarchy : hierarchies_) {
    if (!make_folders(hierarchy.mount, path, hierarchy.unified)) {
      return base::Error{fmt::format("cgroup {}/{}: {}", hierarchy.mount, path, std::strerror(errno))};
    }
  }
  std::string failed;
  set_memory(path, limits, failed);
  set_cpu(path, limits, failed);
  const std::string pids = mount_of("pids");
  if (!pids.empty() && limits.pids > 0) write_file(pids + "/" + path + "/pids.max", std::to_string(limits.pids));
  if (!failed.empty()) return base::Error{"cgroup " + failed + ": " + std::strerror(errno)};
  return Nothing{};
}

void Cgroups::set_memory(const std::string& path, const CgroupLimits& limits, std::string& failed) const {
  const std::string mount = mount_of("memory");
  if (mount.empty()) return;
  const bool unified = is_unified("memory");
  const std::string folder = mount + "/" + path + "/memory.";
  if (limits.memory_bytes > 0) {
    const std::string file = folder + (unified ? "max" : "limit_in_bytes");
    if (!write_file(file, std::to_string(limits.memory_bytes))) failed = file;
    // A machine without swap has no such file.
    const std::int64_t swap = limits.swap_bytes < 0 ? limits.memory_bytes : limits.swap_bytes;
    write_file(folder + (unified ? "swap.max" : "memsw.limit_in_bytes"),
               std::to_string(unified ? swap : limits.memory_bytes + swap));
  }
  if (limits.reservation_bytes > 0) {
    write_file(folder + (unified ? "low" : "soft_limit_in_bytes"), std::to_string(limits.reservation_bytes));
  }
}

void Cgroups::set_cpu(const std::string& path, const CgroupLimits& limits, std::string& failed) const {
  const std::string mount = mount_of("cpu");
  if (mount.empty()) return;
  const bool unified = is_unified("cpu");
  const std::string folder = mount + "/" + path + "/cpu.";
  if (limits.cpu_shares > 0) {
    const std::int64_t value = unified ? weight_of(limits.cpu_shares) : limits.cpu_shares;
    write_file(folder + (unified ? "weight" : "shares"), std::to_string(value));
  }
  if (limits.cpus <= 0) return;
  const auto quota = std::max<std::int64_t>(1000, std::int64_t(limits.cpus * kPeriodMicros));
  if (!unified) write_file(folder + "cfs_period_us", std::to_string(kPeriodMicros));
  const std::string file = folder + (unified ? "max" : "cfs_quota_us");
  if (!write_file(file, unified ? fmt::format("{} {}", quota, kPeriodMicros) : std::to_string(quota))) failed = file;
}

std::vector<std::string> Cgroups::join_files(const std::string& path) const {
  std::vector<std::string> files;
  for (const Hierarchy& hierarchy : hierarchies_) files.push_back(hierarchy.mount + "/" + path + "/cgroup.procs");
  return files;
}

bool Cgroups::kill(const std::string& path) const {
  for (int round = 0; round < kKillRounds; ++round) {
    bool empty = true;
    for (const Hierarchy& hierarchy : hierarchies_) {
      const std::string folder = hierarchy.mount + "/" + path;
      std::istringstream pids(read_file(folder + "/cgroup.procs"));
      std::int64_t pid = 0;
      if (!(pids >> pid)) continue;
      empty = false;
      if (hierarchy.unified && write_file(folder + "/cgroup.kill", "1")) continue;
      // Processes forked meanwhile are found in the next round.
      do {
        if (pid > 1) ::kill(pid_t(pid), SIGKILL);
      } while (pids >> pid);
    }
    if (empty) return true;
    const timespec pause{0, 1'000'000};
    ::nanosleep(&pause, nullptr);
  }
  return false;
}

void Cgroups::remove(const std::string& path) const {
  std::vector<std::string> mounts = other_mounts_;
  for (const Hierarchy& hierarchy : hierarchies_) mounts.push_back(hierarchy.mount);
  for (const std::string& mount : mounts) {
    const std::string folder = mount + "/" + path;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (entry.is_directory(error)) ::rmdir(entry.path().c_str());
    }
    ::rmdir(folder.c_str());
  }
}

std::optional<CgroupUsage> Cgroups::usage(const std::string& path) const {
  const std::string memory = mount_of("memory");
  if (memory.empty() || ::access((memory + "/" + path).c_str(), R_OK) != 0) return std::nullopt;
  // Without the file cache that the kernel can reclaim, like `docker stats`.
  CgroupUsage usage;
  const std::string in_memory = memory + "/" + path + "/memory.";
  const bool unified = is_unified("memory");
  const std::int64_t used = to_number(read_file(in_memory + (unified ? "current" : "usage_in_bytes")));
  const std::int64_t cache =
      value_of_line(read_file(in_memory + "stat"), unified ? "inactive_file" : "total_inactive_file");
  usage.memory_bytes = std::max<std::int64_t>(0, used - cache);
  if (const std::string cpuacct = mount_of("cpuacct"); !cpuacct.empty()) {
    usage.cpu_nanos = to_number(read_file(cpuacct + "/" + path + "/cpuacct.usage"));
  } else if (const std::string cpu = mount_of("cpu"); !cpu.empty()) {
    usage.cpu_nanos = 1000 * value_of_line(read_file(cpu + "/" + path + "/cpu.stat"), "usage_usec");
  }
  return usage;
}

std::string Cgroups::oom_file(const std::string& path) const {
  const std::string mount = mount_of("memory");
  if (mount.empty()) return "";
  return mount + "/" + path + (is_unified("memory") ? "/memory.events" : "/memory.oom_control");
}

std::int64_t oom_kills(const std::string& oom_file) {
  return oom_file.empty() ? 0 : value_of_line(read_file(oom_file), "oom_kill");
}

}  // namespace agent::drivers
