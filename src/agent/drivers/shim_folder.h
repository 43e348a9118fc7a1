// SPDX-License-Identifier: Apache-2.0
// The folder of a process that the driver runs: all that the agent and the shim say to each other.
//   spec.json     the driver's: what to run. Private, it holds secrets.
//   lock          locked by the shim while it lives, and by nobody else
//   started.json  the shim's: it runs
//   exit.json     the shim's: it has ended. Once it is there nothing changes any more.
// The lock is a POSIX record lock: it dies with the shim however that ends, a child does not inherit
// it, and the kernel tells who holds it. A process id alone may by then be somebody else's.
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
  std::int64_t soft = 0;      // -1: none
  std::int64_t hard = 0;
};
BOOST_DESCRIBE_STRUCT(ShimLimit, (), (resource, soft, hard))

struct ShimUser {
  std::int64_t uid = 0;
  std::int64_t gid = 0;
  std::vector<std::int64_t> groups;
};
BOOST_DESCRIBE_STRUCT(ShimUser, (), (uid, gid, groups))

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
  // For the driver: whose it is.
  std::string agent;
  std::string task_arn;
  std::string container;
  std::string boot_id;  // a machine that has been started again runs nothing of before
  std::string cgroup;   // "" where there is none
  std::vector<ShimPort> ports;
  std::optional<ShimHealthCheck> health_check;
  // For the shim: what to run.
  std::vector<std::string> command;
  std::map<std::string, std::string> environment;  // all of it
  std::string work_folder;
  bool must_have_work_folder = false;  // or else it is only a wish
  std::optional<ShimUser> user;
  std::vector<ShimLimit> limits;
  std::int32_t stop_signal = 0;
  std::int64_t time_limit_ms = 0;       // after that it is killed; 0: none
  std::string log_file;                 // "": its output goes nowhere
  std::vector<std::string> shim_joins;  // cgroup files, for the shim itself
  std::vector<std::string> joins;       // and for the command
  std::string oom_file;
};
BOOST_DESCRIBE_STRUCT(ShimSpec, (),
                      (agent, task_arn, container, boot_id, cgroup, ports, health_check, command, environment,
                       work_folder, must_have_work_folder, user, limits, stop_signal, time_limit_ms, log_file,
                       shim_joins, joins, oom_file))

struct ShimStarted {
  std::int64_t pid = 0;
  std::int64_t start_ticks = 0;  // of that pid: field 22 of /proc/<pid>/stat
  std::int64_t at_ms = 0;
};
BOOST_DESCRIBE_STRUCT(ShimStarted, (), (pid, start_ticks, at_ms))

struct ShimExit {
  std::int32_t code = 0;
  bool out_of_memory = false;
  std::string error;  // where it could not be run
  std::int64_t at_ms = 0;
};
BOOST_DESCRIBE_STRUCT(ShimExit, (), (code, out_of_memory, error, at_ms))

// Whole or not at all, after a power loss too; mode 0600.
base::Result<bool> write_durably(const std::string& path, const std::string& text);
// None where there is none. Throws std::runtime_error where that can't be told, as do all below.
std::optional<std::string> read_text(const std::string& path);

template <class T>
base::Result<bool> write_part(const std::string& folder, const char* name, const T& part) {
  std::string text;
  wire::write_json(wire::type_of<T>(), &part, text);
  return write_durably(folder + "/" + name, text);
}

// None where there is no such file, or it makes no sense.
std::optional<ShimSpec> read_spec(const std::string& folder);
std::optional<ShimStarted> read_started(const std::string& folder);
std::optional<ShimExit> read_exit(const std::string& folder);

// For the shim. False when another has it.
bool take_lock(const std::string& folder);
// The shim's process id while it lives.
std::optional<pid_t> lock_holder(const std::string& folder);

std::string boot_id();
// When it started, in ticks since boot; none when there is no such process, or only its corpse.
std::optional<std::int64_t> start_ticks(pid_t pid);
std::int64_t now_ms();

}  // namespace agent::drivers
