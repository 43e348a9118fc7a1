// SPDX-License-Identifier: Apache-2.0
// Control groups, version 1, version 2, or both side by side: limits for a tree of processes, what it
// uses, and a way to kill all of it. A path is below each mount: "stoker/<agent>/<task>/<container>".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/drivers/driver.h"
#include "base/result.h"

namespace agent::drivers {

// 0 is: no limit.
struct CgroupLimits {
  std::int64_t memory_bytes = 0;
  std::int64_t swap_bytes = -1;        // beside its memory; -1: as much again, which is Docker's default
  std::int64_t reservation_bytes = 0;  // what is left to it when memory is short
  std::int64_t cpu_shares = 0;         // 1024 is one core's worth, where cores are short
  double cpus = 0;                     // no more than this, ever
  std::int64_t pids = 0;
};

struct CgroupUsage {
  std::int64_t cpu_nanos = 0;  // since it was made
  std::int64_t memory_bytes = 0;
};

class Cgroups {
 public:
  // Those of this machine that we can write to.
  static Cgroups find(const std::string& mountinfo_file = "/proc/self/mountinfo");

  // "v1", "v2", "hybrid" (controllers of version 1 beside an empty version 2) or "none".
  std::string kind() const;
  bool limits_memory() const { return !mount_of("memory").empty(); }
  bool limits_cpu() const { return !mount_of("cpu").empty(); }

  // Makes it, or changes the limits of one that is there.
  base::Result<Nothing> make(const std::string& path, const CgroupLimits& limits) const;
  // A process that writes "0" to each of these is in it.
  std::vector<std::string> join_files(const std::string& path) const;
  // SIGKILL to all that is in it; false when some of it would not go.
  bool kill(const std::string& path) const;
  // With those below it. Nothing runs in them any more.
  void remove(const std::string& path) const;

  std::optional<CgroupUsage> usage(const std::string& path) const;
  // The file that oom_kills() reads, "" where there is none.
  std::string oom_file(const std::string& path) const;

 private:
  struct Hierarchy {
    std::string mount;
    std::vector<std::string> controllers;  // of ours that it has; version 1 also "name=systemd"
    bool unified = false;
  };

  void add(const std::string& mount, std::string_view type, std::string_view options);
  std::string mount_of(std::string_view controller) const;
  bool is_unified(std::string_view controller) const;
  void set_memory(const std::string& path, const CgroupLimits& limits, std::string& failed) const;
  void set_cpu(const std::string& path, const CgroupLimits& limits, std::string& failed) const;

  std::vector<Hierarchy> hierarchies_;
};

// How many of its processes the kernel has killed for want of memory.
std::int64_t oom_kills(const std::string& oom_file);

}  // namespace agent::drivers
