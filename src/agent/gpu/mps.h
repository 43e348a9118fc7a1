// SPDX-License-Identifier: Apache-2.0
// NVIDIA's Multi-Process Service, by which containers share a real GPU. Each GPU has its own control
// daemon and folder of pipes, so that a fault on one GPU does not affect clients of another. The
// daemon runs while containers share the GPU, and outlives the agent.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/gpu/gpu.h"
#include "base/result.h"

namespace agent::gpu {

// What a client container needs: variables, and folders mounted at the same path. /dev/shm is one of
// them, as daemon and client share memory.
struct MpsAccess {
  std::map<std::string, std::string> environment;
  std::vector<std::string> folders;
};

struct MpsShare {
  std::int64_t memory_mib = 0;
  std::optional<int> max_compute_percent;
};

// The folder of daemons of the agent with the data folder `data`. A daemon's server runs as the user of its clients, and
// must be able to enter it: where tasks have users of their own, as root's have, it is outside of the private data folder.
std::string mps_folder(const std::string& data);

// Called on one thread.
class Mps {
 public:
  // `folder` belongs to this agent alone; `control` is a path or looked up in PATH.
  explicit Mps(std::string folder, std::string control = "nvidia-cuda-mps-control");

  // Call before creating the container. Starts the GPU's daemon if necessary. Idempotent, so that a
  // restarted agent can call it for each running container. Errors are complete ECS reasons:
  // "ResourceInitializationError: ...".
  boost::asio::awaitable<base::Result<MpsAccess>> join(Gpu gpu, std::string container, MpsShare share);
  // Call after the container has ended. Stops the daemon when no container is left.
  boost::asio::awaitable<void> leave(std::string gpu_id, std::string container);
  // Call periodically. Restarts dead daemons of shared GPUs, and stops unused daemons that an
  // earlier agent started.
  boost::asio::awaitable<void> tend();

  // The folder of pipes of a GPU's daemon, running or not.
  std::string pipe_folder(const std::string& gpu_id) const;

 private:
  using Turn = std::shared_ptr<boost::asio::steady_timer>;
  boost::asio::awaitable<base::Result<bool>> start(std::string gpu_id);
  boost::asio::awaitable<base::Result<bool>> launch(std::string gpu_id);
  boost::asio::awaitable<Turn> take_turn(std::string short_id);
  void end_turn(const std::string& short_id, Turn turn);
  boost::asio::awaitable<void> stop(std::string short_id);
  boost::asio::awaitable<void> quit(std::string short_id);
  std::string pipes(const std::string& short_id) const;
  bool in_use(const std::string& short_id) const;

  std::string folder_;
  std::string control_;
  std::map<std::string, std::set<std::string>> users_;  // containers by GPU id
  // Serialises starts and stops of each daemon. Waiters wait for the timer's cancellation, so the
  // timer is shared with them.
  std::map<std::string, Turn> turns_;
};

}  // namespace agent::gpu
