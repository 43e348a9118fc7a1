// SPDX-License-Identifier: Apache-2.0
// The world of a running process, read from /proc, and how another process enters it: its namespaces, root, folder, user,
// capabilities and limits.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace agent::drivers {

// Fields of /proc/<pid>/status.
struct ProcessRights {
  std::uint32_t uid = 0, gid = 0;  // effective, as seen from this process
  std::vector<std::uint32_t> groups = {};
  std::uint64_t inheritable = 0, permitted = 0, effective = 0, bounding = 0, ambient = 0;  // capabilities
  bool no_new_privileges = false;
  int umask = 022;
};
base::Result<ProcessRights> parse_rights(std::string_view status);

// The number inside of a user namespace, by its uid_map or gid_map; `outside` where the map does not have it.
std::uint32_t mapped_id(std::string_view map, std::uint32_t outside);

struct Namespace {
  std::string name;  // "mnt"
  int descriptor = -1;
};

// Descriptors are closed by exec, or with this process.
struct TaskProcess {
  pid_t pid = 0;
  ProcessRights rights = {};
  std::vector<std::string> environment = {};
  std::vector<Namespace> namespaces = {};  // those that differ from this process's
  int root = -1, folder = -1;
  std::array<rlimit, RLIM_NLIMITS> limits = {};

  bool in_namespace(std::string_view name) const;
};

base::Result<TaskProcess> look_at_process(pid_t pid);

// For a child between fork and exec, in this order. Each returns what failed, or "". A pid namespace only holds for
// children of the caller.
std::string enter_namespaces(const TaskProcess& task);
std::string take_rights(const TaskProcess& task);

}  // namespace agent::drivers
