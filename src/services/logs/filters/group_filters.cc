// SPDX-License-Identifier: Apache-2.0
#include "services/logs/filters/group_filters.h"

#include <algorithm>

#include "base/log.h"
#include "services/logs/errors.h"
#include "services/logs/patterns/json_tape.h"

namespace services::logs {
namespace {

Pattern parse_filter_pattern(const std::string& text) {
  auto pattern = Pattern::parse(text);
  if (!pattern) throw invalid_parameter(pattern.error());
  return std::move(*pattern);
}

FieldReference reference(const std::string& text, const Pattern& pattern) {
  auto parsed = FieldReference::parse(text, pattern);
  if (!parsed) throw invalid_parameter("Invalid metric transformation: " + parsed.error());
  return std::move(*parsed);
}

std::shared_ptr<const GroupFilters> load_filters(store::Tx& tx, std::int64_t group) {
  auto filters = std::make_shared<GroupFilters>();
  try {
    for (MetricFilterRow& row : load_metric_filters(tx, group)) filters->metrics.push_back(compile(std::move(row)));
    for (SubscriptionRow& row : load_subscriptions(tx, group)) {
      Pattern pattern = parse_filter_pattern(row.pattern);
      filters->subscriptions.push_back({std::move(row), std::move(pattern)});
    }
  } catch (const wire::ApiError& error) {
    // Filters were checked when they were put.
    base::log_error("stored filter not usable", {{"group", group}, {"why", error.message()}});
  }
  return filters;
}

}  // namespace

CompiledMetricFilter compile(MetricFilterRow row) {
  Pattern pattern = parse_filter_pattern(row.pattern);
  CompiledMetricFilter filter{std::move(row), std::move(pattern)};
  const std::string& value = filter.row.metric_value;
  if (const auto number = parse_number(value)) {
    filter.number = *number;
  } else if (value.starts_with('$')) {
    filter.value = reference(value, filter.pattern);
  } else {
    throw invalid_parameter("Invalid metric transformation: metricValue must be a number or a field of the pattern");
  }
  for (const auto& [name, field] : filter.row.dimensions) {
    filter.dimensions.emplace_back(name, reference(field, filter.pattern));
  }
  return filter;
}

bool same_filters(const GroupFilters& a, const GroupFilters& b) {
  const auto same_row = [](const auto& one, const auto& other) { return one.row == other.row; };
  return &a == &b ||
         (std::equal(a.metrics.begin(), a.metrics.end(), b.metrics.begin(), b.metrics.end(), same_row) &&
          std::equal(a.subscriptions.begin(), a.subscriptions.end(), b.subscriptions.begin(), b.subscriptions.end(), same_row));
}

std::shared_ptr<const GroupFilters> FilterCache::find(std::int64_t group) const {
  return groups_.with([&](const Groups& groups) {
    const auto found = groups.find(group);
    return found == groups.end() ? nullptr : found->second;
  });
}

std::shared_ptr<const GroupFilters> FilterCache::peek(store::Tx& snapshot, std::int64_t group) const {
  auto known = find(group);
  return known ? known : load_filters(snapshot, group);
}

std::shared_ptr<const GroupFilters> FilterCache::get(store::Tx& tx, std::int64_t group) {
  if (auto known = find(group)) return known;
  auto loaded = load_filters(tx, group);
  groups_.with([&](Groups& groups) {
    if (groups.size() >= kMaxGroups) groups.clear();
    groups[group] = loaded;
  });
  return loaded;
}

void FilterCache::forget(std::int64_t group) {
  groups_.with([&](auto& groups) { groups.erase(group); });
}

void forget_filters(Call& call, std::int64_t group) {
  FilterCache& cache = call.local<FilterCache>();
  cache.forget(group);
  call.tx.on_end([&cache, group](bool) { cache.forget(group); });
}

}  // namespace services::logs
