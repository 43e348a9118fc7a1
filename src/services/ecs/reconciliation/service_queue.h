// SPDX-License-Identifier: Apache-2.0
// Which services to look at next: those of which something changed, those that wait for a machine when one may have
// room, and those whose time has come. In memory: a start of the server looks at every service once, and an unchanged
// service costs nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "base/time.h"
#include "services/call.h"
#include "state/service.h"

namespace services::ecs {

// What an event announces as long as it lasts. The text of a kind may change: which task holds the GPU.
enum class ConditionKind { Unplaced, Waits, Throttled, Stuck, Protected, Other };

class ServiceQueue {
 public:
  // A service that is due, and how often it had been marked then.
  struct Due {
    state::ServiceNumber service{};
    std::uint64_t marks = 0;
  };

  // What a look found out.
  struct Outcome {
    state::ClusterNumber cluster{};
    // It waits for room on a machine, or for other tasks to leave one.
    bool waits_for_room = false;
    // It has to be looked at whenever a machine of the cluster joins, leaves or changes.
    bool watches_machines = false;
    std::optional<base::Time> next = {};  // when time alone makes it due
  };

  // Conditions that events have announced and that still hold: the event, and when it was written.
  struct Announcement {
    std::string message;
    base::Time at;
    bool changed = false;  // the condition has another text by now
  };
  using Announced = std::map<ConditionKind, Announcement>;

  // Something of the service has changed.
  void mark(state::ServiceNumber service);
  // Room on a machine of this cluster was freed.
  void mark_room(state::ClusterNumber cluster);
  // A machine of this cluster has changed.
  void mark_machines(state::ClusterNumber cluster);

  // Some of the services to look at now. They stay due until done(), and count as waiting for room until then: what is
  // freed during the look marks them again.
  std::vector<Due> due(base::Time now, std::size_t most);
  // If it was marked meanwhile it stays marked.
  void done(const Due& due, const Outcome& outcome);
  // Its change could not be applied. It is not due before `until`, whatever changes.
  void back_off(state::ServiceNumber service, base::Time until);
  // It is INACTIVE, or deleted.
  void remove(state::ServiceNumber service);
  // When a service is due: `now` if one is marked.
  std::optional<base::Time> next(base::Time now) const;

  // Whether a change in this cluster may concern a service. Servers without services ask no more than this.
  bool has_services(state::ClusterNumber cluster) const;

  // nullopt: not known since the start of the server.
  std::optional<Announced> announced(state::ServiceNumber service) const;
  void set_announced(state::ServiceNumber service, Announced announced);

 private:
  struct Entry {
    std::optional<state::ClusterNumber> cluster = {};  // absent: not looked at yet
    std::uint64_t marks = 0;
    bool waits_for_room = false, watches_machines = false;
    std::optional<base::Time> due = {};
    bool backs_off = false;  // until `due`
    std::optional<Announced> announced = {};
  };
  struct State {
    std::unordered_map<state::ServiceNumber, Entry> services = {};
    std::map<state::ClusterNumber, std::set<state::ServiceNumber>> by_cluster = {};
    std::set<state::ServiceNumber> unplaced = {};  // whose cluster is not known yet
    std::set<state::ServiceNumber> marked = {};
    state::ServiceNumber last_marked{};  // that due() returned
    std::set<std::pair<base::Time, state::ServiceNumber>> by_time = {};
  };

  static void mark_in(State& state, state::ServiceNumber service);
  static void set_time(State& state, state::ServiceNumber service, Entry& entry, std::optional<base::Time> at);
  template <class Concerned>
  void mark_some(state::ClusterNumber cluster, const Concerned& concerned);

  base::Guarded<State> state_;
};

// When the call is committed, the service is looked at.
void mark_service(Call& call, state::ServiceNumber service);
// The same for services of the cluster that wait for room.
void mark_room(Call& call, state::ClusterNumber cluster);
// The same when the call fails: it returns room that it took.
void mark_room_if_failed(Call& call, state::ClusterNumber cluster);
// The same for services that wait for room, for daemons, and for services with tasks on this machine: it has joined,
// connected, recovered, changed its status or attributes, or it has left.
void mark_machine(Call& call, state::ClusterNumber cluster, const model::InstanceId& machine);

}  // namespace services::ecs
