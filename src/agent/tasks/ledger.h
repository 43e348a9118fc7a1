// SPDX-License-Identifier: Apache-2.0
// Who holds which GPU of this machine. The server decides who gets one; this is what makes sure
// that a mistake, or a stop that takes its time, never puts two on one.
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

// What a task's associations and shares come to.
std::vector<GpuClaim> claims_of(const shapes::agent::Task& task);

enum class Grant {
  Given,  // now held, until release()
  Wait,   // another task holds one of them
  Never,  // there is no such GPU here, it is not healthy, or it is smaller than the share
};

struct GrantAnswer {
  Grant grant = Grant::Given;
  std::string reason;  // why not
};

// All of a task's GPUs are granted at once or none is, so that no two tasks wait for each other.
class Ledger {
 public:
  void set_gpus(std::vector<gpu::Gpu> gpus);
  const std::vector<gpu::Gpu>& gpus() const { return gpus_; }
  const gpu::Gpu* find(const std::string& id) const;

  GrantAnswer grant(const std::string& task_arn, const std::vector<GpuClaim>& claims);
  // A task that was running when the agent came back holds what it holds, whatever else is true.
  void adopt(const std::string& task_arn, const std::vector<GpuClaim>& claims);
  // True: it held something, and others may try again. Only once all its containers have ended.
  bool release(const std::string& task_arn);

  // The tasks that hold any of it.
  std::vector<std::string> holders(const std::string& gpu) const;

 private:
  GrantAnswer check(const std::string& task_arn, const GpuClaim& claim, std::int64_t own_mib) const;
  void hold(const std::string& task_arn, const std::vector<GpuClaim>& claims);

  std::vector<gpu::Gpu> gpus_;
  std::map<std::string, std::vector<GpuClaim>> held_;  // by task
};

}  // namespace agent
