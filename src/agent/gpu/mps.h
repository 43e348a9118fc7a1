// SPDX-License-Identifier: Apache-2.0
// NVIDIA's Multi-Process Service, by which containers share a real GPU: one control daemon a GPU,
// with its own folder of pipes, so that a fault of one GPU's clients does not reach the others'.
// It runs while somebody shares the GPU, and goes on when the agent ends.
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

// What a container needs to be a client: variables, and folders at the same path as here.
// /dev/shm is one of them: daemon and client meet there, too.
struct MpsAccess {
  std::map<std::string, std::string> environment;
  std::vector<std::string> folders;
};

struct MpsShare {
  std::int64_t memory_mib = 0;
  std::optional<int> max_compute_percent;
};

// Called on one thread.
class Mps {
 public:
  // `folder` is the agent's; `control` is found on PATH, or a path.
  explicit Mps(std::string folder, std::string control = "nvidia-cuda-mps-control");

  // Before the container is made; starts the GPU's daemon where it does not run. Again for the same
  // container changes nothing, so that a restarted agent says it for each that it finds running.
  // Errors are ECS's reasons: "ResourceInitializationError: ...".
  boost::asio::awaitable<base::Result<MpsAccess>> join(Gpu gpu, std::string container, MpsShare share);
  // Once the container has ended; with the last of them the daemon is stopped.
  boost::asio::awaitable<void> leave(std::string gpu_id, std::string container);
  // Now and then: a daemon that died while its GPU is shared is started again. Stops those that an
  // earlier agent left and nobody uses.
  boost::asio::awaitable<void> tend();

  // Where a GPU's daemon has its pipes, whether it runs or not.
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
  // Daemons that are being started or stopped, one thing at a time. Who waits for his turn waits for
  // the timer's cancellation. Shared with those that wait.
  std::map<std::string, Turn> turns_;
};

}  // namespace agent::gpu
