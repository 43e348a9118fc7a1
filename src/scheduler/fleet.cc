// SPDX-License-Identifier: Apache-2.0
#include "scheduler/fleet.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "scheduler/filter.h"
#include "scheduler/fleet_maps.h"
#include "scheduler/place.h"

namespace scheduler {
namespace {

// Checks the whole GPU, or the sum of several containers' shares of it.
bool gpu_still_fits(const Machine& machine, const model::TaskHold& hold, const model::GpuId& id) {
  const auto found = machine.find_gpu(id);
  if (!found || !machine.gpu_uses()[*found].healthy) return false;
  const GpuUse& use = machine.gpu_uses()[*found];
  std::int64_t share_mib = 0;
  for (const model::GpuHold& gpu : hold.gpus) share_mib += gpu.gpu == id ? gpu.shared_memory_mib : 0;
  if (share_mib == 0) return use.idle();
  return use.whole_holders == 0 && use.shared_memory_mib + share_mib <= use.memory_mib;
}

}  // namespace

Fleet::Fleet() : maps_(std::make_unique<Maps>()) {}
Fleet::~Fleet() = default;

template <class Change>
void Fleet::change(Slot slot, const Change& apply) {
  apply(*places_[slot].machine);
  touch(slot);
}

void Fleet::put(model::Instance instance) {
  ++changes_;
  count_attributes(instance.attributes, 1);
  auto [found, is_new] = slots_.try_emplace(instance.id, kNoSlot);
  if (!is_new) {
    count_attributes(machine(found->second).instance().attributes, -1);
    return change(found->second, [&](Machine& machine) { machine.update(std::move(instance)); });
  }
  if (unused_.empty()) {
    unused_.push_back(static_cast<Slot>(places_.size()));
    places_.emplace_back();
    briefs_.emplace_back();
  }
  found->second = unused_.back();
  unused_.pop_back();
  maps_->slot_of[instance.id] = found->second;
  places_[found->second].machine.emplace(std::move(instance));
  touch(found->second);
}

void Fleet::remove(const model::InstanceId& id) {
  auto found = slots_.find(id);
  if (found == slots_.end()) return;
  Slot slot = found->second;
  forget(slot);
  ++changes_;
  for (const model::TaskHold& hold : machine(slot).tasks()) {
    count_group(slot, hold, -1);
    shapes_.remove(hold);
    maps_->tasks.erase(hold.task);
  }
  count_attributes(machine(slot).instance().attributes, -1);
  places_[slot].machine.reset();
  unused_.push_back(slot);
  maps_->slot_of.erase(id);
  slots_.erase(found);
}

void Fleet::record(const model::InstanceId& id, model::TaskHold hold) {
  auto found = maps_->slot_of.find(id);
  CHECK(found != maps_->slot_of.end()) << "recorded a task on " << id.str() << ", which is not in the fleet";
  bool is_new = maps_->tasks.try_emplace(hold.task, Whereabouts{found->second}).second;
  CHECK(is_new) << "recorded task " << hold.task.str() << " twice";
  take(found->second, std::move(hold));
}

void Fleet::take(Slot slot, model::TaskHold hold) {
  count_group(slot, hold, 1);
  shapes_.add(hold);
  ++changes_;
  change(slot, [&](Machine& machine) { machine.add(std::move(hold)); });
}

void Fleet::release(const model::TaskId& task) {
  auto found = maps_->tasks.find(task);
  if (found == maps_->tasks.end()) return;
  Slot slot = found->second.slot;
  std::optional<model::TaskHold> hold;
  change(slot, [&](Machine& machine) { hold = machine.remove(task); });
  CHECK(hold) << "task " << task.str() << " is not where it was";
  count_group(slot, *hold, -1);
  shapes_.remove(*hold);
  ++changes_;
  maps_->tasks.erase(found);
}

void Fleet::mark(const model::TaskId& task, bool running, bool stopping) {
  auto found = maps_->tasks.find(task);
  if (found == maps_->tasks.end()) return;
  Slot slot = found->second.slot;
  count_group(slot, *machine(slot).find(task), -1);
  places_[slot].machine->mark(task, running, stopping);
  count_group(slot, *machine(slot).find(task), 1);
}

Decision Fleet::place(const Request& request) const {
  GpuNeed need(request.demand);
  Slot slot = find_best(request, need);
  if (slot != kNoSlot) return make_plan(machine(slot), request);
  return refuse(request);
}

Decision Fleet::place_on(const model::InstanceId& id, const Request& request) const {
  const Machine* machine = find(id);
  if (!machine) return Refusal{{{id, Reason::Missing, id.str() + ": no such container instance"}}};
  if (auto failure = scheduler::explain(*machine, request)) return Refusal{{std::move(*failure)}};
  return make_plan(*machine, request);
}

bool Fleet::hold(const Plan& plan) {
  auto found = maps_->slot_of.find(plan.instance);
  if (found == maps_->slot_of.end() || !still_fits(machine(found->second), plan.hold)) return false;
  if (!maps_->tasks.try_emplace(plan.hold.task, Whereabouts{found->second, true}).second) return false;
  take(found->second, plan.hold);
  return true;
}

void Fleet::commit(const model::TaskId& task) {
  auto found = maps_->tasks.find(task);
  if (found != maps_->tasks.end()) found->second.tentative = false;
}

void Fleet::unhold(const model::TaskId& task) {
  auto found = maps_->tasks.find(task);
  if (found != maps_->tasks.end() && found->second.tentative) release(task);
}

bool Fleet::still_fits(const Machine& machine, const model::TaskHold& hold) const {
  if (!machine.accepts_tasks() || machine.free_cpu() < hold.cpu || machine.free_memory_mib() < hold.memory_mib)
    return false;
  if (hold.dynamic_ports > 0 && machine.free_dynamic_ports() < hold.dynamic_ports) return false;
  for (model::Transport transport : {model::Transport::Tcp, model::Transport::Udp}) {
    for (std::uint16_t port : hold.ports.of(transport)) {
      if (!machine.port_is_free(transport, port)) return false;
    }
  }
  for (const model::GpuHold& gpu : hold.gpus) {
    if (!gpu_still_fits(machine, hold, gpu.gpu)) return false;
  }
  return true;
}

Refusal Fleet::refuse(const Request& request) const {
  Refusal refusal;
  for (const auto& [id, slot] : slots_) {
    if (machine(slot).instance().status != model::InstanceStatus::Active) continue;
    if (!is_of_provider(machine(slot), request)) continue;
    refusal.more = refusal.failures.size() == kMaxFailures;
    if (refusal.more) break;
    if (auto failure = scheduler::explain(machine(slot), request)) refusal.failures.push_back(std::move(*failure));
  }
  return refusal;
}

bool Fleet::has_candidates() const {
  return std::ranges::any_of(slots_, [&](const auto& entry) {
    return machine(entry.second).instance().status == model::InstanceStatus::Active;
  });
}

std::vector<Failure> Fleet::explain(const Request& request, std::size_t limit) const {
  std::vector<Failure> failures;
  for (const auto& [id, slot] : slots_) {
    if (failures.size() == limit) break;
    if (auto failure = scheduler::explain(machine(slot), request)) failures.push_back(std::move(*failure));
  }
  return failures;
}

const Machine* Fleet::find(const model::InstanceId& id) const {
  auto found = maps_->slot_of.find(id);
  return found == maps_->slot_of.end() ? nullptr : &machine(found->second);
}

const Machine* Fleet::machine_of(const model::TaskId& task) const {
  auto found = maps_->tasks.find(task);
  return found == maps_->tasks.end() ? nullptr : &machine(found->second.slot);
}

std::vector<const Machine*> Fleet::machines() const {
  std::vector<const Machine*> all;
  all.reserve(slots_.size());
  for (const auto& [id, slot] : slots_) all.push_back(&machine(slot));
  return all;
}

void Fleet::count_attributes(const model::Attributes& attributes, int by) {
  for (const auto& [name, value] : attributes) {
    if (!value) continue;
    std::map<std::string, int>& values = census_[name];
    if ((values[*value] += by) == 0) values.erase(*value);
    if (values.empty()) census_.erase(name);
  }
}

void Fleet::count_group(Slot slot, const model::TaskHold& hold, int by) {
  if (hold.stopping) return;
  auto& group = maps_->groups[hold.group];
  if ((group[slot] += by) == 0) group.erase(slot);
  if (group.empty()) maps_->groups.erase(hold.group);
}

}  // namespace scheduler
