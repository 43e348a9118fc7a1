// SPDX-License-Identifier: Apache-2.0
// The fleet of each cluster: a cache of instances and of what tasks hold on them, rebuilt at start. A call
// that frees resources changes it when it is committed. A call that takes resources, or changes which may be
// taken, changes it at once, and the change is undone where the call fails. So calls of the same batch, which
// run before the commit, never take the same resources.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>

#include "base/guarded.h"
#include "scheduler/fleet.h"
#include "services/call.h"
#include "services/ecs/machines/instance.h"

namespace services::ecs {

// Machines of all clusters, and their GPUs.
struct MachineCounts {
  std::size_t machines = 0, connected = 0;
  std::size_t gpus = 0, held_gpus = 0;
};

class Fleets {
 public:
  // At start, before any call.
  void load(store::Tx& tx);

  MachineCounts count() const;
  // Those that have machines.
  std::set<state::ClusterNumber> clusters() const;

  // One at a time. `use` must not call back.
  template <class Use>
  auto with(state::ClusterNumber cluster, Use&& use) {
    return fleets_.with([&](auto& fleets) {
      auto& fleet = fleets[cluster];
      if (!fleet) fleet = std::make_unique<scheduler::Fleet>();
      return use(*fleet);
    });
  }

 private:
  base::Guarded<std::map<state::ClusterNumber, std::unique_ptr<scheduler::Fleet>>> fleets_;
};

// At once. Services that the machine may concern are looked at when the call is committed.
void put_in_fleet(Call& call, const StoredInstance& instance);
// Gets no more tasks from now on, and is removed when the call is committed.
void remove_from_fleet(Call& call, const StoredInstance& instance);
// When the call is committed.
void release_in_fleet(Call& call, state::ClusterNumber cluster, const model::TaskId& task);
void mark_in_fleet(Call& call, state::ClusterNumber cluster, const model::TaskId& task, bool running, bool stopping);

}  // namespace services::ecs
