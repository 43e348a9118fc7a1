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
#include "scheduler/outlook.h"
#include "scheduler/packing_index.h"
#include "scheduler/request.h"
#include "scheduler/shape_census.h"

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
  // What place() expects of future tasks when a request names no strategy. Follows the tasks of the fleet: it is
  // computed again when an eighth of them has come or gone, and used a little later. A restart computes it from the tasks
  // that exist.
  const Outlook& outlook() const;
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
    mutable std::optional<Entry> by_id, by_cpu, by_memory;
    mutable std::vector<Entry> shared_gpus;
  };

  // Machines whose entries in some indices are out of date.
  struct Stale {
    std::vector<Slot> slots;
    std::vector<bool> marks;  // by slot
    void add(Slot slot);
    std::vector<Slot> take();
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
  void count_attributes(const model::Attributes& attributes, int by);
  void count_group(Slot slot, const model::TaskHold& hold, int by);
  void take(Slot slot, model::TaskHold hold);
  bool still_fits(const Machine& machine, const model::TaskHold& hold) const;
  Refusal refuse(const Request& request) const;

  // fleet_index.cc
  void touch(Slot slot);
  void forget(Slot slot);
  Entry entry_of(Slot slot) const;
  void erase_ids(Slot slot) const;
  void erase_packed(Slot slot) const;
  void update_ids() const;
  void update_packed() const;
  void update_packing() const;
  void adopt_prepared() const;
  StepSizes step_sizes() const;

  // fleet_search.cc
  Slot find_best(const Request& request, const GpuNeed& need) const;
  Slot find_least_waste(const Request& request, const GpuNeed& need) const;
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

  // Indices are updated on demand: most fleets use one kind of strategy, and updating an index is most of the cost
  // of a change.
  //
  // Requests without a strategy.
  mutable Outlook outlook_;
  mutable std::optional<Outlook> next_outlook_;  // computed, and soon in use
  mutable PackingIndex packing_;
  mutable Stale stale_packing_;
  ShapeCensus shapes_;
  mutable std::int64_t changes_ = 0;  // of tasks and machines since the outlook was considered
  mutable bool has_outlook_ = false;
  // Machines that accept tasks. Bucket: 2 x idle GPUs, + 1 when all its GPUs are idle.
  mutable FitIndex by_id_;
  mutable FitIndex shared_gpus_;  // GPUs that are already shared, by memory left
  mutable Stale stale_ids_;
  // The same machines, for binpack.
  mutable FitIndex by_cpu_, by_memory_;
  mutable Stale stale_packed_;
  std::map<std::string, std::map<std::string, int>> census_;  // attribute -> value -> number of machines
};

}  // namespace scheduler
