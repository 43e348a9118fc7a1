// SPDX-License-Identifier: Apache-2.0
// Keeps the indices of a Fleet up to date.
#include <algorithm>
#include <utility>

#include "scheduler/fleet_maps.h"

namespace scheduler {
namespace {

// The outlook is considered again after this many changes, or an eighth of the tasks: its tables are costly.
constexpr std::int64_t kMinChanges = 16;
// And it is computed again only if shapes changed by this distance.
constexpr double kMinDistance = 1.0 / 64;
// A new outlook is used after this part of the tasks has changed: until then decisions prepare its ratings.
constexpr std::int64_t kPreparationPart = 64;

}  // namespace

void Fleet::Stale::add(Slot slot) {
  if (marks.size() <= slot) marks.resize(slot + 1);
  if (marks[slot]) return;
  marks[slot] = true;
  slots.push_back(slot);
}

std::vector<Fleet::Slot> Fleet::Stale::take() {
  for (Slot slot : slots) marks[slot] = false;
  return std::exchange(slots, {});
}

// The machine has changed.
void Fleet::touch(Slot slot) {
  const Machine& changed = machine(slot);
  Brief& brief = briefs_[slot];
  brief = {.id_hash = hash_of(changed.instance().id)};
  if (changed.accepts_tasks()) {
    brief.cpu = changed.free_cpu();
    brief.memory_mib = changed.free_memory_mib();
    brief.idle_gpus = changed.idle_gpus();
  }
  stale_packing_.add(slot);
  stale_ids_.add(slot);
  stale_packed_.add(slot);
}

// The machine is about to be removed: no index may point to it any more.
void Fleet::forget(Slot slot) {
  briefs_[slot] = {};
  packing_.erase(slot);
  erase_ids(slot);
  erase_packed(slot);
}

FitIndex::Entry Fleet::entry_of(Slot slot) const {
  const Machine& machine = *places_[slot].machine;
  bool all_idle = machine.idle_gpus() > 0 && machine.idle_gpus() == machine.healthy_gpus();
  return {.slot = slot,
          .bucket = 2 * static_cast<std::uint32_t>(machine.idle_gpus()) + (all_idle ? 1 : 0),
          .id_front = FitIndex::front_of(machine.instance().id),
          .id = &machine.instance().id,
          .cpu = machine.free_cpu(),
          .memory_mib = machine.free_memory_mib(),
          .share_mib = machine.largest_share_mib()};
}

void Fleet::erase_ids(Slot slot) const {
  const Place& place = places_[slot];
  if (!place.by_id) return;
  by_id_.erase(*place.by_id);
  place.by_id.reset();
  for (const Entry& gpu : place.shared_gpus) shared_gpus_.erase(gpu);
  place.shared_gpus.clear();
}

void Fleet::update_ids() const {
  for (Slot slot : stale_ids_.take()) {
    erase_ids(slot);
    const Place& place = places_[slot];
    if (!place.machine || !place.machine->accepts_tasks()) continue;
    Entry entry = entry_of(slot);
    by_id_.insert(entry);
    place.by_id = entry;
    entry.bucket = 0;
    for (std::size_t gpu = 0; gpu < place.machine->gpu_uses().size(); ++gpu) {
      entry.major = place.machine->shareable_mib(gpu);
      if (entry.major == 0) continue;
      shared_gpus_.insert(entry);
      place.shared_gpus.push_back(entry);
    }
  }
}

void Fleet::erase_packed(Slot slot) const {
  const Place& place = places_[slot];
  if (!place.by_cpu) return;
  by_cpu_.erase(*place.by_cpu);
  by_memory_.erase(*place.by_memory);
  place.by_cpu.reset();
  place.by_memory.reset();
}

void Fleet::update_packed() const {
  for (Slot slot : stale_packed_.take()) {
    erase_packed(slot);
    const Place& place = places_[slot];
    if (!place.machine || !place.machine->accepts_tasks()) continue;
    Entry entry = entry_of(slot);
    entry.major = entry.cpu;
    by_cpu_.insert(entry);
    place.by_cpu = entry;
    entry.major = entry.memory_mib;
    by_memory_.insert(entry);
    place.by_memory = entry;
  }
}

void Fleet::update_packing() const {
  for (Slot slot : stale_packing_.take()) {
    const Place& place = places_[slot];
    if (place.machine && place.machine->accepts_tasks()) {
      packing_.put(entry_of(slot), state_of(*place.machine, outlook_.sizes()));
    } else {
      packing_.erase(slot);
    }
  }
}

StepSizes Fleet::step_sizes() const {
  std::int64_t cpu = 0, memory_mib = 0, gpu_mib = 0;
  std::size_t gpus = 1;
  for (const auto& [id, slot] : slots_) {
    const model::Resources& total = machine(slot).instance().total;
    if (total.gpus.empty()) continue;
    cpu = std::max(cpu, total.cpu);
    memory_mib = std::max(memory_mib, total.memory_mib);
    gpus = std::max(gpus, total.gpus.size());
    for (const model::Gpu& gpu : total.gpus) gpu_mib = std::max(gpu_mib, gpu.memory_mib);
  }
  StepSizes sizes{step_size(cpu), step_size(memory_mib), step_size(gpu_mib)};
  sizes.steps_of_gpu = static_cast<int>(std::max<std::int64_t>(1, gpu_mib / sizes.share_mib));
  sizes.most_gpus = static_cast<int>(std::min<std::size_t>(gpus, kMaxRatedGpus));
  return sizes;
}

// Depends on the changes of the fleet alone, not on how many decisions were made.
void Fleet::adopt_prepared() const {
  if (!next_outlook_ || changes_ < shapes_.tasks() / kPreparationPart) return;
  outlook_ = std::move(*next_outlook_);
  next_outlook_.reset();
  packing_.adopt();
}

const Outlook& Fleet::outlook() const {
  adopt_prepared();
  if (has_outlook_ && changes_ < std::max(kMinChanges, shapes_.tasks() / 8)) return outlook_;
  has_outlook_ = true;
  changes_ = 0;
  const StepSizes sizes = step_sizes();
  std::vector<OutlookShape> shapes = popular_shapes(shapes_.counts(), sizes);
  const bool resized = sizes != outlook_.sizes();
  if (!resized && distance(shapes, outlook_.shapes()) < kMinDistance) return outlook_;
  if (resized) {
    outlook_ = Outlook(sizes, std::move(shapes));
    packing_.clear();
    for (const auto& [id, slot] : slots_) stale_packing_.add(slot);
  } else {
    next_outlook_ = Outlook(sizes, std::move(shapes));
    packing_.begin_preparing();
    adopt_prepared();
  }
  return outlook_;
}

}  // namespace scheduler
