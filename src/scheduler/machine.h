// SPDX-License-Identifier: Apache-2.0
// An instance with the holds on it, and its free resources.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/instance.h"

namespace scheduler {

// The holders of one GPU. The database is trusted even if it contradicts itself (two whole holders): such a GPU
// is free once both have released it.
struct GpuUse {
  int whole_holders = 0;
  int shared_holders = 0;
  std::int64_t shared_memory_mib = 0;
  // Copies of the instance's fields, in fewer cache lines.
  std::int64_t memory_mib = 0;
  std::uint64_t id_tail = 0;  // the end of its id: a search compares this first
  bool healthy = true;

  bool idle() const { return whole_holders == 0 && shared_holders == 0; }
};

class Machine {
 public:
  explicit Machine(model::Instance instance);

  const model::Instance& instance() const { return instance_; }
  std::span<const model::TaskHold> tasks() const { return tasks_; }  // unordered
  const model::TaskHold* find(const model::TaskId& task) const;

  // Negative if the machine re-registered with less than its tasks hold.
  std::int64_t free_cpu() const { return free_cpu_; }
  std::int64_t free_memory_mib() const { return free_memory_mib_; }
  int free_dynamic_ports() const;
  bool port_is_free(model::Transport transport, std::uint16_t port) const;

  // In the order of instance().total.gpus.
  std::span<const GpuUse> gpu_uses() const { return gpu_uses_; }
  std::optional<std::size_t> find_gpu(const model::GpuId& id) const;  // its index there
  int idle_gpus() const { return idle_gpus_; }  // healthy and without a holder
  int healthy_gpus() const { return healthy_gpus_; }
  // Memory left on a GPU that is already shared; 0 for any other GPU.
  std::int64_t shareable_mib(std::size_t gpu) const;
  // The largest share available on any shared or idle GPU.
  std::int64_t largest_share_mib() const;

  bool accepts_tasks() const {
    return instance_.status == model::InstanceStatus::Active && instance_.agent_connected && instance_.trouble.empty();
  }
  // Number of tasks of this group that are not stopping.
  int tasks_in_group(std::string_view group) const;
  // "" if the attribute or its value is absent.
  std::string_view attribute(const std::string& name) const;

  // The task must not be on this machine yet.
  void add(model::TaskHold task);
  std::optional<model::TaskHold> remove(const model::TaskId& task);
  // Replaces the description; holds remain.
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
