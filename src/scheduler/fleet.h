// SPDX-License-Identifier: Apache-2.0
// The machines of one cluster, indexed so that placing a task costs microseconds. It
// answers exactly what place() answers on the same machines.
//
// It is a cache of the database and has one owner thread. How a placement goes:
//
//   Decision decision = fleet.place(request);   // changes nothing
//   fleet.hold(plan);                           // the next place() sees it taken
//   ... the transaction that wrote the task ends ...
//   fleet.commit(task) or fleet.unhold(task)
//
// What is held but not committed can be given back whatever happened meanwhile, in any order.
// All else (put, remove, record, release, mark) is for what has been committed already.
#pragma once

#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scheduler/fit_index.h"
#include "scheduler/machine.h"
#include "scheduler/order.h"
#include "scheduler/request.h"

namespace scheduler {

class Fleet {
 public:
  Fleet();
  ~Fleet();
  Fleet(const Fleet&) = delete;  // the indices point into the machines
  Fleet& operator=(const Fleet&) = delete;

  // A machine that is new, or is described anew; what is held on it stays.
  void put(model::Instance instance);
  // Forgets a machine and every hold on it.
  void remove(const model::InstanceId& id);

  // A task that the database has on a machine of ours: at start. It is believed, not checked.
  void record(const model::InstanceId& id, model::TaskHold hold);
  // The task has STOPPED. Nothing happens for one that is not here.
  void release(const model::TaskId& task);
  // It runs now; it was told to stop. Nothing happens for one that is not here.
  void mark(const model::TaskId& task, bool running, bool stopping);

  Decision place(const Request& request) const;
  // On this machine or not at all, as StartTask wants it.
  Decision place_on(const model::InstanceId& id, const Request& request) const;

  // False, and nothing taken, when the plan's world has moved: place again.
  [[nodiscard]] bool hold(const Plan& plan);
  void commit(const model::TaskId& task);
  void unhold(const model::TaskId& task);

  // Is there a machine that is ACTIVE? Without one, place() has nothing to say.
  bool has_candidates() const;
  // Why each machine can't take it, those that are not ACTIVE too; `limit` at most, by id.
  std::vector<Failure> explain(const Request& request, std::size_t limit = kMaxFailures) const;

  const Machine* find(const model::InstanceId& id) const;
  // Where a task is held, or nullptr.
  const Machine* machine_of(const model::TaskId& task) const;
  // All machines, by id.
  std::vector<const Machine*> machines() const;

 private:
  using Slot = std::uint32_t;
  using Entry = FitIndex::Entry;
  static constexpr Slot kNoSlot = std::numeric_limits<Slot>::max();

  struct Place {
    std::optional<Machine> machine;  // none: the place is free for the next
    // As the indices have it.
    std::optional<Entry> by_id;
    mutable std::optional<Entry> by_cpu, by_memory;
    mutable bool stale = false;  // by_cpu_ and by_memory_ have it as it was
    std::vector<Entry> shared_gpus;
  };

  // Of each place, what most scans can do with: one short line of memory, not a machine.
  struct Brief {
    std::int64_t cpu = -1, memory_mib = -1;  // free; below any demand when it accepts no tasks
    std::uint64_t id_hash = 0;
    int idle_gpus = 0;
  };

  struct Whereabouts {
    Slot slot = kNoSlot;
    bool tentative = false;  // held, not committed
  };

  // Hash maps, of fleet_maps.h: Boost's are too large for this header.
  struct Maps;

  // A way to find the best machine without looking at all: spread over an attribute, then
  // over instances, then in an index's order. Each part may be absent.
  struct Route {
    std::optional<std::size_t> attribute;  // which strategy
    bool spread_instances = false;
    const FitIndex* index = nullptr;
  };

  const Machine& machine(Slot slot) const { return *places_[slot].machine; }
  template <class Change>
  void change(Slot slot, const Change& apply);
  void index(Slot slot);
  void unindex(Slot slot);
  Entry entry_of(Slot slot) const;
  void pack(Slot slot) const;
  void unpack(Slot slot) const;
  void pack_stale() const;
  void count_attributes(const model::Attributes& attributes, int by);
  void count_group(Slot slot, const model::TaskHold& hold, int by);
  void take(Slot slot, model::TaskHold hold);
  bool still_fits(const Machine& machine, const model::TaskHold& hold) const;
  Refusal refuse(const Request& request) const;

  // fleet_search.cc
  Slot find_best(const Request& request, const GpuNeed& need) const;
  std::optional<Route> route(const Request& request, const GpuNeed& need) const;
  template <class Accept>
  Slot search(const Request& request, const GpuNeed& need, const FitIndex& index, const Accept& accept) const;
  template <class Accept>
  Slot search_shared(const Request& request, const GpuNeed& need, const Accept& accept) const;
  template <class Accept>
  Slot search_packed_share(const Request& request, const GpuNeed& need, const FitIndex& index,
                           const Accept& accept) const;
  template <class Accept>
  Slot follow(const Route& route, const Request& request, const GpuNeed& need, const SpreadCounts& counts,
              const Accept& accept) const;
  template <class Slots, class Accept>
  Slot scan(const Slots& slots, const Request& request, const GpuNeed& need, const SpreadCounts& counts,
            const Accept& accept) const;
  SpreadCounts counts_of(const Request& request) const;
  std::set<int> levels(const std::string& attribute, const std::map<std::string, int, std::less<>>& counts) const;

  std::deque<Place> places_;   // a deque: machines do not move
  std::vector<Brief> briefs_;  // by slot
  std::vector<Slot> unused_;
  std::map<model::InstanceId, Slot> slots_;  // by id
  std::unique_ptr<Maps> maps_;

  // Machines that accept tasks. Bucket: 2 x idle GPUs, + 1 when all its GPUs are idle.
  FitIndex by_id_;
  // The same, for binpack alone: brought up to date when it is asked for, as most fleets never do
  // and two more trees for each change are most of what a change costs.
  mutable FitIndex by_cpu_, by_memory_;
  mutable std::vector<Slot> stale_;
  FitIndex shared_gpus_;  // those that are shared already, by memory left
  std::map<std::string, std::map<std::string, int>> census_;  // attribute -> value -> machines that have it
};

}  // namespace scheduler
