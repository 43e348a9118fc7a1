// SPDX-License-Identifier: Apache-2.0
// The folder of a process, through which the agent and the shim communicate.
//   spec.json     written by the driver: what to run. Private, as it holds secrets.
//   lock          held by the shim while it lives
//   started.json  written by the shim: the command runs
//   exit.json     written by the shim: the command has ended. Nothing changes after that.
// The lock is a POSIX record lock: it is released when the shim ends in any way, children do not
// inherit it, and the kernel reports its holder. A process id alone could have been reused.
#pragma once

#include <sys/types.h>

#include <boost/describe/class.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "wire/json.h"
#include "wire/type_of.h"

namespace agent::drivers {

struct ShimLimit {
  std::int32_t resource = 0;  // RLIMIT_...
  std::int64_t soft = 0;      // -1: unlimited
  std::int64_t hard = 0;
};
BOOST_DESCRIBE_STRUCT(ShimLimit, (), (resource, soft, hard))

struct ShimUser {
  std::int64_t uid = 0;
  std::int64_t gid = 0;
  std::vector<std::int64_t> groups;
};
BOOST_DESCRIBE_STRUCT(ShimUser, (), (uid, gid, groups))

// A file or folder that a task sees although a folder above it is hidden, at the same path.
struct ShimPath {
  std::string path;
  bool writable = false;
};
BOOST_DESCRIBE_STRUCT(ShimPath, (), (path, writable))

// What the task is kept from, see task_mounts.h and task_privileges.h. Paths are canonical.
struct ShimIsolation {
  bool mounts = false;          // a mount namespace of its own
  bool user_namespace = false;  // for the mounts of an agent that is not root
  bool own_user = false;        // the command gives up all capabilities with the agent's user
  bool landlock_files = false;  // denies the hidden folders where there is no mount namespace
  bool landlock_scope = false;  // no signals to processes outside of the task, and no ptrace
  bool landlock_domain = false;  // no ptrace alone, where the kernel does not know the former
  // Some use of Landlock.
  bool landlock() const { return landlock_files || landlock_scope || landlock_domain; }
  std::string tmp;              // mounted on /tmp and /var/tmp; "": the machine's own
  std::vector<std::string> hidden;
  std::vector<ShimPath> visible;
};
BOOST_DESCRIBE_STRUCT(ShimIsolation, (),
                      (mounts, user_namespace, own_user, landlock_files, landlock_scope, landlock_domain, tmp, hidden,
                       visible))

struct ShimPort {
  std::int32_t port = 0;
  std::string protocol;
};
BOOST_DESCRIBE_STRUCT(ShimPort, (), (port, protocol))

struct ShimHealthCheck {
  std::vector<std::string> command;
  std::int64_t interval_ms = 0;
  std::int64_t timeout_ms = 0;
  std::int64_t start_period_ms = 0;
  std::int32_t retries = 0;
};
BOOST_DESCRIBE_STRUCT(ShimHealthCheck, (), (command, interval_ms, timeout_ms, start_period_ms, retries))

struct ShimSpec {
  // For the driver.
  std::string agent;
  std::string task_arn;
  std::string container;
  std::string boot_id;  // processes do not survive a reboot
  std::string cgroup;   // "" without cgroups
  std::vector<ShimPort> ports;
  std::optional<ShimHealthCheck> health_check;
  // For the shim.
  std::vector<std::string> command;
  std::map<std::string, std::string> environment;  // complete
  std::string work_folder;
  bool must_have_work_folder = false;  // false: fall back to /
  std::optional<ShimUser> user;
  std::optional<ShimIsolation> isolation;  // absent: as free as its user
  std::vector<ShimLimit> limits;
  std::int32_t stop_signal = 0;
  std::int64_t time_limit_ms = 0;       // then the command is killed; 0: none
  std::string log_file;                 // "": output is discarded
  std::vector<std::string> shim_joins;  // cgroup files that the shim joins
  std::vector<std::string> joins;       // cgroup files that the command joins
  std::string oom_file;
};
BOOST_DESCRIBE_STRUCT(ShimSpec, (),
                      (agent, task_arn, container, boot_id, cgroup, ports, health_check, command, environment,
                       work_folder, must_have_work_folder, user, isolation, limits, stop_signal, time_limit_ms, log_file,
                       shim_joins, joins, oom_file))

struct ShimStarted {
  std::int64_t pid = 0;
  std::int64_t start_ticks = 0;  // field 22 of /proc/<pid>/stat
  std::int64_t at_ms = 0;
};
BOOST_DESCRIBE_STRUCT(ShimStarted, (), (pid, start_ticks, at_ms))

struct ShimExit {
  std::int32_t code = 0;
  bool out_of_memory = false;
  std::string error;  // when it could not be run
  std::int64_t at_ms = 0;
};
BOOST_DESCRIBE_STRUCT(ShimExit, (), (code, out_of_memory, error, at_ms))

// Atomic and durable; mode 0600.
base::Result<bool> write_durably(const std::string& path, const std::string& text);
// None when the file is missing. This and all functions below throw std::runtime_error when the
// file cannot be read.
std::optional<std::string> read_text(const std::string& path);

template <class T>
base::Result<bool> write_part(const std::string& folder, const char* name, const T& part) {
  std::string text;
  wire::write_json(wire::type_of<T>(), &part, text);
  return write_durably(folder + "/" + name, text);
}

// None when the file is missing or invalid.
std::optional<ShimSpec> read_spec(const std::string& folder);
std::optional<ShimStarted> read_started(const std::string& folder);
std::optional<ShimExit> read_exit(const std::string& folder);

// For the shim. Returns false when another process holds the lock.
bool take_lock(const std::string& folder);
// The process id of the running shim.
std::optional<pid_t> lock_holder(const std::string& folder);

std::string boot_id();
// Start time in ticks since boot. None when the process is missing or a zombie.
std::optional<std::int64_t> start_ticks(pid_t pid);
std::int64_t now_ms();

}  // namespace agent::drivers
