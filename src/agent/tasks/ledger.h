// SPDX-License-Identifier: Apache-2.0
// Which task holds which GPU of this machine. The server assigns GPUs. The ledger makes sure that
// neither a mistake of the server nor a slow stop puts two tasks on one GPU.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "agent/gpu/gpu.h"
#include "shapes/agent/task.h"

namespace agent {

// One container's hold on one GPU.
struct GpuClaim {
  std::string gpu;
  std::string container;
  std::int64_t share_mib = 0;  // 0: whole
  bool operator==(const GpuClaim&) const = default;
};

// The claims in a task's associations and shares.
std::vector<GpuClaim> claims_of(const shapes::agent::Task& task);

enum class Grant {
  Granted,  // held until release()
  Wait,     // another task holds one of them
  Never,    // the GPU is absent or unhealthy, or the share exceeds its memory
};

struct GrantAnswer {
  Grant grant = Grant::Granted;
  std::string reason;  // empty where granted
};

// A task is granted all of its GPUs at once or none, so that no two tasks wait for each other.
class Ledger {
 public:
  void set_gpus(std::vector<gpu::Gpu> gpus);
  const std::vector<gpu::Gpu>& gpus() const { return gpus_; }
  const gpu::Gpu* find(const std::string& id) const;

  GrantAnswer grant(const std::string& task_arn, const std::vector<GpuClaim>& claims);
  // For a task that was running when the agent restarted: records its GPUs even where they conflict.
  void adopt(const std::string& task_arn, const std::vector<GpuClaim>& claims);
  // Call only once all containers of the task have ended. True: the task held a GPU, so others may try again.
  bool release(const std::string& task_arn);

  struct Holder {
    std::string task_arn, container;
  };
  // The containers that hold all or part of the GPU.
  std::vector<Holder> containers_on(const std::string& gpu) const;
  // The tasks that hold all or part of the GPU.
  std::vector<std::string> holders(const std::string& gpu) const;

 private:
  GrantAnswer check(const std::string& task_arn, const GpuClaim& claim, std::int64_t own_mib) const;
  void hold(const std::string& task_arn, const std::vector<GpuClaim>& claims);

  std::vector<gpu::Gpu> gpus_;
  std::map<std::string, std::vector<GpuClaim>> held_;  // by task
};

}  // namespace agent
