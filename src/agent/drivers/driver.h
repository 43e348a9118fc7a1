// SPDX-License-Identifier: Apache-2.0
// Runs containers on this machine. There are two drivers: Docker's Engine API (also Podman's), and
// plain processes. Drivers are called on the agent's thread only. Containers outlive the agent; its
// successor finds them by list().
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/drivers/exec.h"
#include "agent/gpu/gpu.h"
#include "base/result.h"
#include "base/time.h"
#include "shapes/agent/task.h"

namespace agent::drivers {

struct Nothing {};

// A container to create: the server's description, and what this machine adds.
struct ContainerSpec {
  shapes::agent::Task task;            // for networks, volumes and the names of other containers
  shapes::agent::Container container;  // with overrides applied: command, environment
  std::vector<gpu::Gpu> gpus;          // visible to it, whole or shared
  std::vector<shapes::agent::GpuShare> shares;
  bool all_gpus = false;    // sees every GPU without requiring one: --gpu-default-runtime, or privileged
  std::string log_file;     // for stdout and stderr, see agent/drivers/log_file.h
  std::string work_folder;  // of this task; the agent empties it when it forgets the task
  std::vector<std::string> mps_folders = {};  // where it meets the MPS daemons of shared GPUs
};

enum class Phase { Created, Running, Exited };

// A container that exists when the agent starts.
struct Found {
  std::string id;  // a Docker id, or the name of a process's folder
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

// A started container.
struct Started {
  std::vector<Binding> bindings;
  std::string address;  // of the container; "" when it has none of its own
  std::int64_t pid = 0;
  base::Time at;
};

struct Exit {
  int code = 0;
  bool out_of_memory = false;
  std::string error;  // the engine's message, when the container could not be run
  base::Time at;
};

struct Pulled {
  // Of the image in its registry, by which other machines can pull the same: "sha256:...". "" for an image that was
  // built or named here.
  std::string digest = {};
  std::string id = {};  // the engine's own: "sha256:..."; "" without an engine
};

// How far a pull is. Engines report a layer's size only while it is downloaded.
struct PullProgress {
  std::int32_t layers = 0;           // known so far
  std::int32_t layers_done = 0;      // on this machine
  std::int32_t layers_existing = 0;  // of these, those that were there before
  std::int64_t downloaded_bytes = 0, total_bytes = 0;  // of the layers whose size is known
  bool extracting = false;           // all is downloaded, and not all is unpacked

  bool operator==(const PullProgress&) const = default;
};
using OnPullProgress = std::function<void(const PullProgress&)>;

struct Usage {
  double cpu_percent = 0;  // 100 is one core
  std::int64_t memory_bytes = 0;
};

// What a machine can do, as attributes and versions for its registration.
struct Abilities {
  std::string name;     // "docker", "process"
  std::string version;  // of the engine
  std::vector<std::string> attributes;
  std::string storage_folder = {};  // where the engine keeps images and containers; "" without an engine
};

class Driver {
 public:
  virtual ~Driver() = default;

  virtual const Abilities& abilities() const = 0;

  // Whether the engine responds, or why it does not. One attempt. A driver without an engine always does.
  virtual boost::asio::awaitable<base::Result<Nothing>> ping();
  // Returns when the engine may have gone: at once where it closes its connections. Without an engine, from time to
  // time.
  virtual boost::asio::awaitable<void> watch_engine();

  // Errors are complete ECS reasons: "CannotPullContainerError: ...". One attempt; the caller
  // retries. The options decide whether an image that the machine has is pulled again; the digest
  // shows which version of a tag runs. `on_progress` is called when a download begins, and whenever its
  // progress changes; never for an image that is not downloaded.
  virtual boost::asio::awaitable<base::Result<Pulled>> pull(std::string image, OnPullProgress on_progress) = 0;

  // "CannotCreateContainerError: ..."
  virtual boost::asio::awaitable<base::Result<std::string>> create(ContainerSpec spec) = 0;
  // "CannotStartContainerError: ...". Starting a running container is not an error.
  virtual boost::asio::awaitable<base::Result<Started>> start(std::string id) = 0;
  // Waits for the container's end, without a limit. Fails when there is no such container.
  virtual boost::asio::awaitable<base::Result<Exit>> wait(std::string id) = 0;
  // Sends the stop signal, and SIGKILL after `grace`. Returns when the container has ended.
  virtual boost::asio::awaitable<base::Result<Nothing>> stop(std::string id, base::Duration grace) = 0;
  // Removes everything but the log file. A missing container is not an error.
  virtual boost::asio::awaitable<base::Result<Nothing>> remove(std::string id) = 0;
  // The last container of a task has ended: removes what only limits them. Containers are kept for a while.
  virtual boost::asio::awaitable<void> end_task(std::string task_arn);
  // Removes a task's networks and volumes, after its last container is removed.
  virtual boost::asio::awaitable<base::Result<Nothing>> clean_up(std::string task_arn) = 0;

  // "HEALTHY", "UNHEALTHY" or "UNKNOWN". Waits until it differs from `known`.
  virtual boost::asio::awaitable<base::Result<std::string>> health(std::string id, std::string known) = 0;
  virtual boost::asio::awaitable<base::Result<Usage>> usage(std::string id) = 0;

  // Starts a command in a running container, or attaches to the container. An error: the container does not run, or the
  // driver can't do what the request asks for. The stream must not outlive the driver.
  virtual boost::asio::awaitable<base::Result<std::unique_ptr<ExecStream>>> exec(std::string id, ExecRequest request);

  // All containers of this agent. Containers are marked with the name of the agent that created
  // them; others are not listed.
  virtual boost::asio::awaitable<base::Result<std::vector<Found>>> list() = 0;
};

}  // namespace agent::drivers
