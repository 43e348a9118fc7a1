// SPDX-License-Identifier: Apache-2.0
// Control groups, version 1, version 2, or both: limit a tree of processes, measure it and kill it.
// A path is relative to each mount: "stoker/<agent>/<task>/<container>".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/drivers/driver.h"
#include "base/result.h"

namespace agent::drivers {

// 0: no limit.
struct CgroupLimits {
  std::int64_t memory_bytes = 0;
  std::int64_t swap_bytes = -1;        // beyond memory_bytes; -1: the same amount, as Docker does
  std::int64_t reservation_bytes = 0;  // guaranteed when memory is scarce
  std::int64_t cpu_shares = 0;         // relative weight; 1024 is one core
  double cpus = 0;                     // hard limit
  std::int64_t pids = 0;
};

struct CgroupUsage {
  std::int64_t cpu_nanos = 0;  // since its creation
  std::int64_t memory_bytes = 0;
};

class Cgroups {
 public:
  // The writable hierarchies of this machine.
  static Cgroups find(const std::string& mountinfo_file = "/proc/self/mountinfo");

  // "v1", "v2", "hybrid" (version 1 controllers and an empty version 2) or "none".
  std::string kind() const;
  bool limits_memory() const { return !mount_of("memory").empty(); }
  bool limits_cpu() const { return !mount_of("cpu").empty(); }

  // Creates the cgroup, or changes its limits.
  base::Result<Nothing> create(const std::string& path, const CgroupLimits& limits) const;
  // A process joins the cgroup by writing "0" to each of these files.
  std::vector<std::string> join_files(const std::string& path) const;
  // Kills all its processes. Returns false when some are still alive.
  bool kill(const std::string& path) const;
  // Removes it and its children. They must have no processes.
  void remove(const std::string& path) const;

  std::optional<CgroupUsage> usage(const std::string& path) const;
  // The file for oom_kills(), or "" without a memory controller.
  std::string oom_file(const std::string& path) const;

 private:
  struct Hierarchy {
    std::string mount;
    std::vector<std::string> controllers;  // those we use; in version 1 also "name=systemd"
    bool unified = false;
  };

  void add(const std::string& mount, std::string_view type, std::string_view options);
  std::string mount_of(std::string_view controller) const;
  bool is_unified(std::string_view controller) const;
  void set_memory(const std::string& path, const CgroupLimits& limits, std::string& failed) const;
  void set_cpu(const std::string& path, const CgroupLimits& limits, std::string& failed) const;

  std::vector<Hierarchy> hierarchies_;
  std::vector<std::string> other_mounts_;  // where only an engine creates cgroups
};

// Number of processes that the kernel killed because the cgroup was out of memory.
std::int64_t oom_kills(const std::string& oom_file);

}  // namespace agent::drivers
