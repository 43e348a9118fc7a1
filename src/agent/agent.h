// SPDX-License-Identifier: Apache-2.0
// One machine of a cluster: registers it, takes tasks from the server, runs them, and says what
// became of them. In a process of its own (`stoker agent`), or inside `stoker up`.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "agent/drivers/driver.h"
#include "agent/gpu/gpu.h"
#include "base/time.h"
#include "http/signing_key.h"

namespace agent {

struct Options {
  std::string server;        // "http://127.0.0.1:4566"
  std::string ca_file = {};  // https: trust these certificates; empty: those that the system trusts
  http::Credentials credentials;
  std::string region = "us-east-1";
  std::string cluster = "default";
  std::string data;                    // a folder of this agent's own
  std::string name = {};               // the machine's, which the server shows as ec2InstanceId; empty: its host name
  std::string version;                 // of Stoker
  std::string gpus = "auto";           // "auto", "none", "fake:8xV100"
  std::string driver = "auto";         // "auto": Docker where it answers, else processes; "docker", "process"
  std::string instance_type = {};      // attribute ecs.instance-type
  std::string availability_zone = {};  // empty: the region's a
  std::map<std::string, std::string> attributes = {};
  // A slice of the machine: without them it is all of it, less the reserved memory.
  std::optional<std::int64_t> cpu_units = {};
  std::optional<std::int64_t> memory_mib = {};
  std::int64_t reserved_memory_mib = 0;
  bool gpu_default_runtime = false;  // containers that ask for no GPU see all of them
  base::Duration keep_stopped = std::chrono::hours(3);  // a stopped task's containers and logs; ECS's default
};

class Agent {
 public:
  // Throws std::runtime_error with one clear line: options that make no sense, a data folder that
  // cannot be written or that another agent uses, no engine where one was asked for.
  explicit Agent(Options options);
  // For tests: with a driver and GPUs of their own.
  Agent(Options options, std::unique_ptr<drivers::Driver> driver, std::unique_ptr<gpu::GpuSource> gpus);
  ~Agent();  // stops

  // Returns at once. The server may be away, now or later: it is tried until it answers.
  void start();
  // Ends the connection and all that waits. TaskRegistry go on running; the next agent on this data
  // folder takes them over.
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace agent
