// SPDX-License-Identifier: Apache-2.0
#include "services/logs/filters/minute_counts.h"

#include "services/logs/filters/group_filters.h"
#include "services/logs/filters/publish.h"

namespace services::logs {
namespace {

using shapes::cloudwatch::MetricDatum;

constexpr std::int64_t kMinuteMs = 60'000;
constexpr std::size_t kGroupsPerTransaction = 500;

std::int64_t minute_of(base::Time time) { return base::to_millis(time) / kMinuteMs; }
base::Time start_of(std::int64_t minute) { return base::from_millis(minute * kMinuteMs); }

DataByNamespace data_of(const Group& group, base::Time at, const MinuteCount& count, const GroupFilters& filters) {
  DataByNamespace data;
  const auto add = [&](const char* name, double value, const char* unit) {
    MetricDatum datum{.MetricName = name};
    datum.Dimensions = {{{.Name = "LogGroupName", .Value = group.name}}};
    datum.Timestamp = at;
    datum.Value = value;
    datum.Unit = unit;
    data["AWS/Logs"].push_back(std::move(datum));
  };
  add("IncomingLogEvents", count.events, "None");
  add("IncomingBytes", count.bytes, "Bytes");
  if (count.parsing_errors > 0) add("EMFParsingErrors", count.parsing_errors, "None");
  if (count.validation_errors > 0) add("EMFValidationErrors", count.validation_errors, "None");
  for (const CompiledMetricFilter& filter : filters.metrics) {
    if (!filter.row.default_value || count.matched.count(filter.row.name)) continue;
    MetricDatum datum{.MetricName = filter.row.metric_name};
    datum.Timestamp = at;
    datum.Value = *filter.row.default_value;
    datum.Unit = filter.row.unit;
    data[filter.row.metric_namespace].push_back(std::move(datum));
  }
  return data;
}

void publish_counts(Call& call, const std::map<MinuteCounts::Key, MinuteCount>& counts) {
  for (const auto& [key, count] : counts) {
    const auto group = load_group(call.tx, key.second);
    if (!group) continue;
    const auto filters = call.local<FilterCache>().get(call.tx, group->id);
    publish(call, *group, data_of(*group, start_of(key.first), count, *filters));
  }
  MinuteCounts& all = call.local<MinuteCounts>();
  call.tx.on_end([&all, counts](bool committed) {
    if (committed) all.forget(counts);
  });
}

Decision look_for_minutes(Call& call) {
  MinuteCounts& counts = call.local<MinuteCounts>();
  auto ended = counts.ended(call.now);
  Decision decision;
  if (ended.empty() && counts.empty()) return decision;
  decision.next = start_of(minute_of(call.now) + 1);
  if (ended.empty()) return decision;
  if (ended.size() > kGroupsPerTransaction) {
    ended.erase(std::next(ended.begin(), kGroupsPerTransaction), ended.end());
    decision.next = call.now;
  }
  decision.apply = [ended = std::move(ended)](Call& write) { publish_counts(write, ended); };
  return decision;
}

}  // namespace

void MinuteCount::add(const MinuteCount& other) {
  events += other.events;
  bytes += other.bytes;
  parsing_errors += other.parsing_errors;
  validation_errors += other.validation_errors;
  matched.insert(other.matched.begin(), other.matched.end());
}

void MinuteCounts::add(base::Time now, std::int64_t group, const MinuteCount& count) {
  counts_.with([&](auto& counts) { counts[{minute_of(now), group}].add(count); });
}

std::map<MinuteCounts::Key, MinuteCount> MinuteCounts::ended(base::Time now) const {
  return counts_.with([&](const auto& counts) {
    return std::map<Key, MinuteCount>(counts.begin(), counts.lower_bound({minute_of(now), INT64_MIN}));
  });
}

void MinuteCounts::forget(const std::map<Key, MinuteCount>& published) {
  counts_.with([&](auto& counts) {
    for (const auto& [key, count] : published) counts.erase(key);
  });
}

bool MinuteCounts::empty() const {
  return counts_.with([](const auto& counts) { return counts.empty(); });
}

bool MinuteCounts::has_minute(base::Time now) const {
  return counts_.with([&](const auto& counts) {
    const auto found = counts.lower_bound({minute_of(now), INT64_MIN});
    return found != counts.end() && found->first.first == minute_of(now);
  });
}

void count_minute(Call& call, const Group& group, MinuteCount count) {
  MinuteCounts& counts = call.local<MinuteCounts>();
  // Asked of committed counts only: a handler that is undone and runs again wakes again.
  if (!counts.has_minute(call.now)) call.wake(kMinuteTopic);
  call.tx.on_end([&counts, now = call.now, id = group.id, count = std::move(count)](bool committed) {
    if (committed) counts.add(now, id, count);
  });
}

Loop minute_loop() { return {"logs minutes", kMinuteTopic, &look_for_minutes}; }

}  // namespace services::logs
