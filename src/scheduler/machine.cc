// SPDX-License-Identifier: Apache-2.0
#include "scheduler/machine.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace scheduler {
namespace {

std::uint64_t tail_of(const model::GpuId& id) {
  const std::string& text = id.str();
  std::uint64_t tail = 0;
  const std::size_t size = std::min(text.size(), sizeof tail);
  std::memcpy(&tail, text.data() + text.size() - size, size);
  return tail;
}

}  // namespace

Machine::Machine(model::Instance instance) : instance_(std::move(instance)) { recount(); }

const model::TaskHold* Machine::find(const model::TaskId& task) const {
  auto found = std::ranges::find(tasks_, task, &model::TaskHold::task);
  return found == tasks_.end() ? nullptr : &*found;
}

std::optional<std::size_t> Machine::find_gpu(const model::GpuId& id) const {
  const std::uint64_t tail = tail_of(id);
  for (std::size_t gpu = 0; gpu < gpu_uses_.size(); ++gpu) {
    if (gpu_uses_[gpu].id_tail == tail && instance_.total.gpus[gpu].id == id) return gpu;
  }
  return std::nullopt;
}

int Machine::free_dynamic_ports() const {
  int free = model::kLastDynamicPort - model::kFirstDynamicPort + 1;
  for (const model::TaskHold& task : tasks_) free -= task.dynamic_ports;
  return free;
}

bool Machine::port_is_free(model::Transport transport, std::uint16_t port) const {
  if (instance_.total.reserved_ports.of(transport).contains(port)) return false;
  return std::ranges::none_of(tasks_,
                              [&](const model::TaskHold& task) { return task.ports.of(transport).contains(port); });
}

std::int64_t Machine::shareable_mib(std::size_t gpu) const {
  const GpuUse& use = gpu_uses_[gpu];
  if (!use.healthy || use.whole_holders > 0 || use.shared_holders == 0) return 0;
  return std::max<std::int64_t>(0, use.memory_mib - use.shared_memory_mib);
}

std::int64_t Machine::largest_share_mib() const {
  std::int64_t largest = 0;
  for (std::size_t gpu = 0; gpu < gpu_uses_.size(); ++gpu) {
    const GpuUse& use = gpu_uses_[gpu];
    largest = std::max(largest, use.healthy && use.idle() ? use.memory_mib : shareable_mib(gpu));
  }
  return largest;
}

int Machine::tasks_in_group(std::string_view group) const {
  return static_cast<int>(std::ranges::count_if(
      tasks_, [&](const model::TaskHold& task) { return !task.stopping && task.group == group; }));
}

std::string_view Machine::attribute(const std::string& name) const {
  auto found = instance_.attributes.find(name);
  return found == instance_.attributes.end() || !found->second ? std::string_view() : std::string_view(*found->second);
}

void Machine::add(model::TaskHold task) {
  count(task, 1);
  tasks_.push_back(std::move(task));
}

std::optional<model::TaskHold> Machine::remove(const model::TaskId& task) {
  auto found = std::ranges::find(tasks_, task, &model::TaskHold::task);
  if (found == tasks_.end()) return std::nullopt;
  model::TaskHold removed = std::move(*found);
  if (found != std::prev(tasks_.end())) *found = std::move(tasks_.back());
  tasks_.pop_back();
  count(removed, -1);
  return removed;
}

void Machine::update(model::Instance instance) {
  instance_ = std::move(instance);
  recount();
}

void Machine::mark(const model::TaskId& task, bool running, bool stopping) {
  auto found = std::ranges::find(tasks_, task, &model::TaskHold::task);
  CHECK(found != tasks_.end()) << "task " << task.str() << " is not on " << instance_.id.str();
  found->running = running;
  found->stopping = stopping;
}

void Machine::recount() {
  free_cpu_ = instance_.total.cpu;
  free_memory_mib_ = instance_.total.memory_mib;
  gpu_uses_.clear();
  for (const model::Gpu& gpu : instance_.total.gpus) {
    gpu_uses_.push_back({.memory_mib = gpu.memory_mib, .id_tail = tail_of(gpu.id), .healthy = gpu.healthy});
  }
  healthy_gpus_ = static_cast<int>(std::ranges::count(instance_.total.gpus, true, &model::Gpu::healthy));
  idle_gpus_ = healthy_gpus_;
  for (const model::TaskHold& task : tasks_) count(task, 1);
}

void Machine::count(const model::TaskHold& task, int by) {
  free_cpu_ -= by * task.cpu;
  free_memory_mib_ -= by * task.memory_mib;
  for (const model::GpuHold& hold : task.gpus) {
    const auto found = find_gpu(hold.gpu);
    if (!found) continue;  // the GPU is lost; its task may still hold it
    GpuUse& use = gpu_uses_[*found];
    bool was_idle = use.idle();
    if (hold.shared_memory_mib == 0) {
      use.whole_holders += by;
    } else {
      use.shared_holders += by;
      use.shared_memory_mib += by * hold.shared_memory_mib;
    }
    if (use.healthy) idle_gpus_ += (use.idle() ? 1 : 0) - (was_idle ? 1 : 0);
  }
}

}  // namespace scheduler
