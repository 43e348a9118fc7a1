// SPDX-License-Identifier: Apache-2.0
// Runs containers on this machine. Two ship: Docker's Engine API (also Podman's), and plain
// processes. All of it is called on the agent's one thread. What a driver started goes on when the
// agent ends, and is found again by list().
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/gpu/gpu.h"
#include "base/result.h"
#include "base/time.h"
#include "shapes/agent/task.h"

namespace agent::drivers {

struct Nothing {};

// A container that is to be made: what the server said, and what this machine adds to it.
struct ContainerSpec {
  shapes::agent::Task task;            // whole, for networks, volumes and the other containers' names
  shapes::agent::Container container;  // with its overrides put in place: command, environment
  std::vector<gpu::Gpu> gpus;               // those that it sees, whole or shared
  std::vector<shapes::agent::GpuShare> shares;
  bool all_gpus = false;    // sees every GPU though it asked for none: --gpu-default-runtime, or privileged
  std::string log_file;     // the driver writes stdout and stderr there, see agent/drivers/log_file.h
  std::string work_folder;  // of this task alone; emptied by the agent when the task is forgotten
};

enum class Phase { Created, Running, Exited };

// What there is, after a restart of the agent.
struct Found {
  std::string id;  // the driver's own: a Docker id, or the name of a process's folder
  std::string task_arn;
  std::string container;
  Phase phase = Phase::Created;
};

struct Binding {
  std::string bind_ip;
  std::int32_t container_port = 0;
  std::int32_t host_port = 0;
  std::string protocol;
};

// A container that has been started.
struct Started {
  std::vector<Binding> bindings;
  std::string address;  // its own, where it has one
  std::int64_t pid = 0;
  base::Time at;
};

struct Exit {
  int code = 0;
  bool out_of_memory = false;
  std::string error;  // the engine's words, where it could not be run
  base::Time at;
};

struct Pulled {
  std::string digest;  // "sha256:...", "" where it has none
};

struct Usage {
  double cpu_percent = 0;  // of one core
  std::int64_t memory_bytes = 0;
};

// What a machine can do, as attributes and versions of its registration.
struct Abilities {
  std::string name;     // "docker", "process"
  std::string version;  // of the engine
  std::vector<std::string> attributes;
};

class Driver {
 public:
  virtual ~Driver() = default;

  virtual const Abilities& abilities() const = 0;

  // Errors are ECS's reasons, whole: "CannotPullContainerError: ...". One attempt; the caller
  // tries again. An image that is there already is not pulled: without a registry that is the
  // only way to run one, and a tag that moves is told apart by its digest.
  virtual boost::asio::awaitable<base::Result<Pulled>> pull(std::string image) = 0;

  // "CannotCreateContainerError: ..."
  virtual boost::asio::awaitable<base::Result<std::string>> create(ContainerSpec spec) = 0;
  // "CannotStartContainerError: ...". Starting one that runs is no error.
  virtual boost::asio::awaitable<base::Result<Started>> start(std::string id) = 0;
  // Waits for its end, however long; at once when it has ended. An error: there is no such container.
  virtual boost::asio::awaitable<base::Result<Exit>> wait(std::string id) = 0;
  // Its stop signal, and after `grace` SIGKILL. Returns when it has ended; no error if it had.
  virtual boost::asio::awaitable<base::Result<Nothing>> stop(std::string id, base::Duration grace) = 0;
  // Gone with all that it left but its log file. No error if it is not there.
  virtual boost::asio::awaitable<base::Result<Nothing>> remove(std::string id) = 0;
  // A task's networks and volumes, once its last container is removed.
  virtual boost::asio::awaitable<base::Result<Nothing>> clean_up(std::string task_arn) = 0;

  // "HEALTHY", "UNHEALTHY", "UNKNOWN"; waits until it is another than `known`.
  virtual boost::asio::awaitable<base::Result<std::string>> health(std::string id, std::string known) = 0;
  virtual boost::asio::awaitable<base::Result<Usage>> usage(std::string id) = 0;

  // Every container that this agent ever made and has not removed. Only its own: an agent has a
  // name, and marks what it makes with it.
  virtual boost::asio::awaitable<base::Result<std::vector<Found>>> list() = 0;
};

}  // namespace agent::drivers
