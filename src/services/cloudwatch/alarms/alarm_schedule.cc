// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/alarms/alarm_schedule.h"

namespace services::cloudwatch {

void AlarmSchedule::set_time(State& state, AlarmId id, Entry& entry, std::optional<base::Time> at) {
  if (entry.due) state.by_time.erase({*entry.due, id});
  entry.due = at;
  if (at) state.by_time.insert({*at, id});
}

std::vector<std::string> AlarmSchedule::drop_metrics(State& state, AlarmId id, Entry& entry) {
  for (const std::string& metric : entry.metrics) {
    auto found = state.by_metric.find(metric);
    if (found == state.by_metric.end()) continue;
    found->second.erase(id);
    if (found->second.empty()) state.by_metric.erase(found);
  }
  return std::exchange(entry.metrics, {});
}

std::vector<std::string> AlarmSchedule::set(AlarmId id, const std::string& owner, std::vector<std::string> metrics) {
  return state_.with([&](State& state) {
    auto [found, added] = state.alarms.try_emplace(id);
    Entry& entry = found->second;
    if (added) {
      entry.owner = owner;
      ++state.owned[owner];
    }
    std::vector<std::string> before = drop_metrics(state, id, entry);
    for (const std::string& metric : metrics) state.by_metric[metric].insert(id);
    entry.metrics = std::move(metrics);
    return before;
  });
}

std::vector<std::string> AlarmSchedule::remove(AlarmId id) {
  return state_.with([&](State& state) {
    auto found = state.alarms.find(id);
    if (found == state.alarms.end()) return std::vector<std::string>();
    std::vector<std::string> before = drop_metrics(state, id, found->second);
    set_time(state, id, found->second, std::nullopt);
    state.marked.erase(id);
    auto owned = state.owned.find(found->second.owner);
    if (--owned->second == 0) state.owned.erase(owned);
    state.alarms.erase(found);
    return before;
  });
}

std::size_t AlarmSchedule::count(const std::string& owner) const {
  return state_.with([&](const State& state) {
    auto found = state.owned.find(owner);
    return found == state.owned.end() ? std::size_t{0} : found->second;
  });
}

void AlarmSchedule::mark(AlarmId id) {
  state_.with([&](State& state) {
    auto found = state.alarms.find(id);
    if (found == state.alarms.end()) return;
    found->second.change = ++state.changes;
    state.marked.insert(id);
  });
}

void AlarmSchedule::mark_metrics(const std::vector<std::string>& metrics) {
  state_.with([&](State& state) {
    for (const std::string& metric : metrics) {
      auto found = state.by_metric.find(metric);
      if (found == state.by_metric.end()) continue;
      for (AlarmId id : found->second) {
        state.alarms[id].change = ++state.changes;
        state.marked.insert(id);
      }
    }
  });
}

void AlarmSchedule::postpone(AlarmId id, base::Time at) {
  state_.with([&](State& state) {
    auto found = state.alarms.find(id);
    if (found == state.alarms.end()) return;
    found->second.change = ++state.changes;
    state.marked.erase(id);
    set_time(state, id, found->second, at);
  });
}

std::vector<AlarmSchedule::Due> AlarmSchedule::due(base::Time now, std::size_t most) {
  return state_.with([&](State& state) {
    std::vector<Due> out;
    const std::size_t most_by_time = state.marked.size() < most ? most - state.marked.size() : most / 4;
    for (const auto& [at, id] : state.by_time) {
      if (at > now || out.size() >= most_by_time) break;
      if (!state.marked.contains(id)) out.push_back({id, state.alarms.at(id).change});
    }
    auto next = state.marked.upper_bound(state.last_marked);
    for (std::size_t i = 0; i < state.marked.size() && out.size() < most; ++i, ++next) {
      if (next == state.marked.end()) next = state.marked.begin();
      out.push_back({*next, state.alarms.at(*next).change});
      state.last_marked = *next;
    }
    return out;
  });
}

void AlarmSchedule::done(const Due& due, std::optional<base::Time> next) {
  state_.with([&](State& state) {
    auto found = state.alarms.find(due.id);
    if (found == state.alarms.end() || found->second.change != due.change) return;
    state.marked.erase(due.id);
    set_time(state, due.id, found->second, next);
  });
}

std::optional<base::Time> AlarmSchedule::next(base::Time now) const {
  return state_.with([&](const State& state) -> std::optional<base::Time> {
    if (!state.marked.empty()) return now;
    if (state.by_time.empty()) return std::nullopt;
    return state.by_time.begin()->first;
  });
}

}  // namespace services::cloudwatch
