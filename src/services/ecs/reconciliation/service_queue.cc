// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/reconciliation/service_queue.h"

#include "state/task.h"

namespace services::ecs {
namespace {

constexpr std::string_view kServiceGroup = "service:";

template <class Change>
void when_queue_commits(Call& call, Change change) {
  ServiceQueue& queue = call.local<ServiceQueue>();
  call.tx.on_end([&queue, change = std::move(change)](bool committed) {
    if (committed) change(queue);
  });
  call.wake(std::string(state::kServicesTopic));
}

}  // namespace

void ServiceQueue::mark_in(State& state, state::ServiceNumber service) {
  auto [found, added] = state.services.try_emplace(service);
  if (added) state.unplaced.insert(service);
  ++found->second.marks;
  if (!found->second.backs_off) state.marked.insert(service);
}

void ServiceQueue::set_time(State& state, state::ServiceNumber service, Entry& entry, std::optional<base::Time> at) {
  if (entry.due) state.by_time.erase({*entry.due, service});
  entry.due = at;
  if (at) state.by_time.insert({*at, service});
}

template <class Concerned>
void ServiceQueue::mark_some(state::ClusterNumber cluster, const Concerned& concerned) {
  state_.with([&](State& state) {
    for (state::ServiceNumber service : state.unplaced) mark_in(state, service);
    auto found = state.by_cluster.find(cluster);
    if (found == state.by_cluster.end()) return;
    for (state::ServiceNumber service : found->second) {
      if (concerned(state.services.at(service))) mark_in(state, service);
    }
  });
}

void ServiceQueue::mark(state::ServiceNumber service) {
  state_.with([&](State& state) { mark_in(state, service); });
}

void ServiceQueue::mark_room(state::ClusterNumber cluster) {
  mark_some(cluster, [](const Entry& entry) { return entry.waits_for_room; });
}

void ServiceQueue::mark_machines(state::ClusterNumber cluster) {
  mark_some(cluster, [](const Entry& entry) { return entry.waits_for_room || entry.watches_machines; });
}

std::vector<ServiceQueue::Due> ServiceQueue::due(base::Time now, std::size_t most) {
  return state_.with([&](State& state) {
    std::vector<Due> out;
    const auto take = [&](state::ServiceNumber service) {
      Entry& entry = state.services.at(service);
      entry.waits_for_room = true;
      entry.backs_off = false;
      out.push_back({service, entry.marks});
    };
    // Services that are marked all the time must not delay those whose time has come, nor each other.
    const std::size_t most_by_time = state.marked.size() < most ? most - state.marked.size() : most / 4;
    for (const auto& [at, service] : state.by_time) {
      if (at > now || out.size() >= most_by_time) break;
      if (!state.marked.contains(service)) take(service);
    }
    auto next = state.marked.upper_bound(state.last_marked);
    for (std::size_t i = 0; i < state.marked.size() && out.size() < most; ++i, ++next) {
      if (next == state.marked.end()) next = state.marked.begin();
      take(*next);
      state.last_marked = *next;
    }
    return out;
  });
}

void ServiceQueue::done(const Due& due, const Outcome& outcome) {
  state_.with([&](State& state) {
    auto found = state.services.find(due.service);
    if (found == state.services.end()) return;
    Entry& entry = found->second;
    if (!entry.cluster) {
      entry.cluster = outcome.cluster;
      state.unplaced.erase(due.service);
      state.by_cluster[outcome.cluster].insert(due.service);
    }
    if (entry.marks == due.marks) state.marked.erase(due.service);
    entry.waits_for_room = outcome.waits_for_room;
    entry.watches_machines = outcome.watches_machines;
    set_time(state, due.service, entry, outcome.next);
  });
}

void ServiceQueue::back_off(state::ServiceNumber service, base::Time until) {
  state_.with([&](State& state) {
    auto found = state.services.find(service);
    if (found == state.services.end()) return;
    state.marked.erase(service);
    found->second.backs_off = true;
    set_time(state, service, found->second, until);
  });
}

void ServiceQueue::remove(state::ServiceNumber service) {
  state_.with([&](State& state) {
    auto found = state.services.find(service);
    if (found == state.services.end()) return;
    Entry& entry = found->second;
    set_time(state, service, entry, std::nullopt);
    state.unplaced.erase(service);
    state.marked.erase(service);
    if (entry.cluster) {
      auto cluster = state.by_cluster.find(*entry.cluster);
      cluster->second.erase(service);
      if (cluster->second.empty()) state.by_cluster.erase(cluster);
    }
    state.services.erase(found);
  });
}

std::optional<base::Time> ServiceQueue::next(base::Time now) const {
  return state_.with([&](const State& state) -> std::optional<base::Time> {
    if (!state.marked.empty()) return now;
    if (state.by_time.empty()) return std::nullopt;
    return state.by_time.begin()->first;
  });
}

bool ServiceQueue::has_services(state::ClusterNumber cluster) const {
  return state_.with([&](const State& state) { return !state.unplaced.empty() || state.by_cluster.contains(cluster); });
}

std::optional<ServiceQueue::Announced> ServiceQueue::announced(state::ServiceNumber service) const {
  return state_.with([&](const State& state) {
    auto found = state.services.find(service);
    return found == state.services.end() ? std::nullopt : found->second.announced;
  });
}

void ServiceQueue::set_announced(state::ServiceNumber service, Announced announced) {
  state_.with([&](State& state) {
    auto found = state.services.find(service);
    if (found != state.services.end()) found->second.announced = std::move(announced);
  });
}

void mark_service(Call& call, state::ServiceNumber service) {
  when_queue_commits(call, [service](ServiceQueue& queue) { queue.mark(service); });
}

void mark_room(Call& call, state::ClusterNumber cluster) {
  if (!call.local<ServiceQueue>().has_services(cluster)) return;
  when_queue_commits(call, [cluster](ServiceQueue& queue) { queue.mark_room(cluster); });
}

void mark_room_if_failed(Call& call, state::ClusterNumber cluster) {
  ServiceQueue& queue = call.local<ServiceQueue>();
  if (!queue.has_services(cluster)) return;
  call.tx.on_end([&queue, cluster](bool committed) {
    if (!committed) queue.mark_room(cluster);
  });
  call.wake_if_failed(std::string(state::kServicesTopic));
}

void mark_machine(Call& call, state::ClusterNumber cluster, const model::InstanceId& machine) {
  if (!call.local<ServiceQueue>().has_services(cluster)) return;
  std::set<std::string> names;
  for (const model::TaskHold& hold : state::list_holds(call.tx, machine)) {
    if (hold.group.starts_with(kServiceGroup)) names.insert(hold.group.substr(kServiceGroup.size()));
  }
  std::vector<state::ServiceNumber> services;
  for (const std::string& name : names) {
    if (const auto service = state::find_service(call.tx, cluster, name)) services.push_back(service->number);
  }
  when_queue_commits(call, [cluster, services = std::move(services)](ServiceQueue& queue) {
    for (state::ServiceNumber service : services) queue.mark(service);
    queue.mark_machines(cluster);
  });
}

}  // namespace services::ecs
