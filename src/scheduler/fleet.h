// SPDX-License-Identifier: Apache-2.0
// The machines of one cluster, indexed so that a placement takes microseconds. It decides exactly like place() on
// the same machines.
//
// It is a cache of the database, used by one thread at a time. A placement:
//
//   Decision decision = fleet.place(request);   // changes nothing
//   fleet.hold(plan);                           // the next place() sees it taken
//   ... the transaction that wrote the task ends ...
//   fleet.commit(task) or fleet.unhold(task)
//
// Uncommitted holds can be released at any time, in any order. All other changes (put, remove, record, release, mark)
// are for committed state.
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

  // Adds a machine or replaces its description; its holds remain.
  void put(model::Instance instance);
  // Removes a machine and all its holds.
  void remove(const model::InstanceId& id);

  // At start: a task that the database assigns to a machine. Not checked.
  void record(const model::InstanceId& id, model::TaskHold hold);
  // The task has STOPPED. An unknown task is ignored.
  void release(const model::TaskId& task);
  // Updates a task's status. An unknown task is ignored.
  void mark(const model::TaskId& task, bool running, bool stopping);

  Decision place(const Request& request) const;
  // On this machine or not at all, for StartTask.
  Decision place_on(const model::InstanceId& id, const Request& request) const;

  // False, and nothing is held, if the plan is stale: place again.
  [[nodiscard]] bool hold(const Plan& plan);
  void commit(const model::TaskId& task);
  void unhold(const model::TaskId& task);

  // Whether a machine is ACTIVE. Without one, place() returns no failures.
  bool has_candidates() const;
  // Why each machine does not fit, including those that are not ACTIVE; at most `limit`, ordered by id.
  std::vector<Failure> explain(const Request& request, std::size_t limit = kMaxFailures) const;

  const Machine* find(const model::InstanceId& id) const;
  // The machine that holds a task, or nullptr.
  const Machine* machine_of(const model::TaskId& task) const;
  // All machines, ordered by id.
  std::vector<const Machine*> machines() const;

 private:
  using Slot = std::uint32_t;
  using Entry = FitIndex::Entry;
  static constexpr Slot kNoSlot = std::numeric_limits<Slot>::max();

  struct Place {
    std::optional<Machine> machine;  // absent: the place is unused
    // Its entries in the indices.
    std::optional<Entry> by_id;
    mutable std::optional<Entry> by_cpu, by_memory;
    mutable bool stale = false;  // its entries in by_cpu_ and by_memory_ are out of date
    std::vector<Entry> shared_gpus;
  };

  // What most scans need of a place, in half a cache line.
  struct Brief {
    std::int64_t cpu = -1, memory_mib = -1;  // free; negative if it accepts no tasks
    std::uint64_t id_hash = 0;
    int idle_gpus = 0;
  };

  struct Whereabouts {
    Slot slot = kNoSlot;
    bool tentative = false;  // held, not committed
  };

  // Defined in fleet_maps.h, because the headers of Boost's hash maps are large.
  struct Maps;

  // How to find the best machine without a full scan: spread over an attribute, then over instances, then in the
  // order of an index. Each part may be absent.
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

  std::deque<Place> places_;   // a deque, so that machines do not move
  std::vector<Brief> briefs_;  // by slot
  std::vector<Slot> unused_;
  std::map<model::InstanceId, Slot> slots_;  // by id
  std::unique_ptr<Maps> maps_;

  // Machines that accept tasks. Bucket: 2 x idle GPUs, + 1 when all its GPUs are idle.
  FitIndex by_id_;
  // The same, for binpack only. Updated on demand: most fleets never use them, and updating two more indices is most
  // of the cost of a change.
  mutable FitIndex by_cpu_, by_memory_;
  mutable std::vector<Slot> stale_;
  FitIndex shared_gpus_;  // GPUs that are already shared, by memory left
  std::map<std::string, std::map<std::string, int>> census_;  // attribute -> value -> number of machines
};

}  // namespace scheduler
