// SPDX-License-Identifier: Apache-2.0
// An instance with what is held on it, and what is therefore free.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/instance.h"

namespace scheduler {

// Who holds one GPU. The database could say things that can't be (two whole holders), and
// is believed: such a GPU is simply not free until both are gone.
struct GpuUse {
  int whole_holders = 0;
  int shared_holders = 0;
  std::int64_t shared_memory_mib = 0;
  // As the instance has them, in fewer lines of memory.
  std::int64_t memory_mib = 0;
  std::uint64_t id_tail = 0;  // how its id ends, to be found without looking at each one's
  bool healthy = true;

  bool idle() const { return whole_holders == 0 && shared_holders == 0; }
};

class Machine {
 public:
  explicit Machine(model::Instance instance);

  const model::Instance& instance() const { return instance_; }
  std::span<const model::TaskHold> tasks() const { return tasks_; }  // in no order
  const model::TaskHold* find(const model::TaskId& task) const;

  // Below zero when a machine came back smaller than what runs on it.
  std::int64_t free_cpu() const { return free_cpu_; }
  std::int64_t free_memory_mib() const { return free_memory_mib_; }
  int free_dynamic_ports() const;
  bool port_is_free(model::Transport transport, std::uint16_t port) const;

  // In the order of instance().total.gpus.
  std::span<const GpuUse> gpu_uses() const { return gpu_uses_; }
  std::optional<std::size_t> find_gpu(const model::GpuId& id) const;  // its place there
  int idle_gpus() const { return idle_gpus_; }  // healthy and nobody's
  int healthy_gpus() const { return healthy_gpus_; }
  // What a sharing container could still get of a GPU that is shared already; 0 otherwise.
  std::int64_t shareable_mib(std::size_t gpu) const;
  // The largest share that could be had here, of a GPU that is shared or of an idle one.
  std::int64_t largest_share_mib() const;

  bool accepts_tasks() const { return instance_.status == model::InstanceStatus::Active && instance_.agent_connected; }
  // How many tasks of this group are to stay here.
  int tasks_in_group(std::string_view group) const;
  // "" where it has none, or has the name alone.
  std::string_view attribute(const std::string& name) const;

  // One that is not here yet.
  void add(model::TaskHold task);
  std::optional<model::TaskHold> remove(const model::TaskId& task);
  // The same machine, described anew; what is held stays held.
  void update(model::Instance instance);
  void mark(const model::TaskId& task, bool running, bool stopping);

 private:
  void recount();
  void count(const model::TaskHold& task, int by);

  model::Instance instance_;
  std::vector<model::TaskHold> tasks_;
  std::int64_t free_cpu_ = 0, free_memory_mib_ = 0;
  std::vector<GpuUse> gpu_uses_;
  int idle_gpus_ = 0, healthy_gpus_ = 0;
};

}  // namespace scheduler
