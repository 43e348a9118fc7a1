// SPDX-License-Identifier: Apache-2.0
// The agent of one machine: registers the machine, receives tasks from the server, runs them and reports
// their states. Runs in a process of its own (`stoker agent`) or inside `stoker up`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/drivers/driver.h"
#include "agent/gpu/gpu.h"
#include "base/time.h"
#include "signing/signing_key.h"

namespace agent {

struct Options {
  std::string server;        // "http://127.0.0.1:4566"
  std::string ca_file = {};  // trusted certificates for https; empty: those of the system
  signing::Credentials credentials;  // the machine's own: machine_key.h
  std::string region = "us-east-1";
  std::string cluster = "default";
  std::string data;                    // folder that only this agent uses
  std::string name = {};               // of the machine, shown as ec2InstanceId; empty: its host name
  std::string version;                 // of Stoker
  std::string gpus = "auto";           // "auto", "none", "fake:8xV100", or some of them: gpu/gpu_selection.h
  std::string driver = "auto";         // "auto": Docker, or what was used before; "docker", "process"
  std::string image_pull = "default";  // ECS_IMAGE_PULL_BEHAVIOR: drivers/image_pull.h
  // Of the process driver: drivers/task_isolation.h.
  std::string task_user = {};            // one user for all tasks; empty: one for each
  std::string task_uids = {};            // the range of those; empty: the default
  std::vector<std::string> hidden = {};  // files and folders that tasks must not see, beside `data`
  std::string instance_type = {};        // attribute ecs.instance-type
  std::string availability_zone = {};  // empty: the region's zone a
  std::map<std::string, std::string> attributes = {};
  std::map<std::string, std::string> tags = {};  // of the container instance
  // Limits to a slice of the machine. Default: the whole machine, less the reserved memory.
  std::optional<std::int64_t> cpu_units = {};
  std::optional<std::int64_t> memory_mib = {};
  std::int64_t reserved_memory_mib = 0;
  std::int64_t min_free_disk_mib = 256;  // with less, the machine accepts no tasks
  std::optional<std::int64_t> max_logs_mib = {};  // of stopped tasks; default: a tenth of the disk, at most 10 GiB
  bool gpu_default_runtime = false;  // containers that request no GPU see all of them
  // Where the page of GPU metrics listens (metrics/metrics_endpoint.h). Empty: nowhere.
  std::string metrics_address = {};
  unsigned short metrics_port = 9400;
  // Retention of a stopped task's containers and logs; ECS's default.
  base::Duration keep_stopped = std::chrono::hours(3);
  base::Duration stop_timeout = std::chrono::seconds(30);  // of containers without their own; ECS's default
  // On the agent's thread: the machine was removed from its cluster, its tasks are stopped, and the agent does nothing
  // more.
  std::function<void()> on_removed = {};
};

class Agent {
 public:
  // Throws std::runtime_error with a one-line message: invalid options, a data folder that is not
  // writable or that another agent uses, a container engine that does not respond.
  explicit Agent(Options options);
  // For tests: with the given driver and GPUs.
  Agent(Options options, std::unique_ptr<drivers::Driver> driver, std::unique_ptr<gpu::GpuSource> gpus);
  ~Agent();  // stops

  // Returns at once. The server may be down now or later: the agent retries until it responds.
  void start();
  // Ends the connection and all coroutines. Tasks continue to run, and the next agent with this data
  // folder adopts them.
  void stop();
  // The machine's end, instead of stop(): stops all tasks, each within `longest_stop`, reports them, removes their
  // containers and deletes the data folder. Without start() before, it does so with the tasks that an earlier agent
  // left. False: containers remain, and so does the data folder.
  bool shut_down(base::Duration longest_stop);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace agent
