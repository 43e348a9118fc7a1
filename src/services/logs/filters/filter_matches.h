// SPDX-License-Identifier: Apache-2.0
// Which events the filters of a group match, and the values of metrics that they have: found on a snapshot, before the
// request's turn to write, because a hundred filters and ten thousand events take long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "services/logs/filters/group_filters.h"
#include "services/logs/patterns/json_tape.h"
#include "telemetry/logs/event.h"

namespace services::logs {

// The JSON of each event, for all filters.
using EventsJson = std::vector<LazyJson>;
EventsJson json_of(std::span<const telemetry::NewEvent> events);

struct MetricMatches {
  using Place = std::pair<std::int64_t, std::vector<std::string>>;  // start of a minute, values of the dimensions
  using Counts = std::vector<std::pair<double, double>>;            // values, in order, and how often each

  bool any = false;  // also where no event has a value
  std::map<Place, Counts> points = {};
};
MetricMatches match(const CompiledMetricFilter& filter, std::span<const telemetry::NewEvent> events, EventsJson& json);

// Indices of events.
using SubscriptionMatches = std::vector<std::uint32_t>;
SubscriptionMatches match(const CompiledSubscription& filter, std::span<const telemetry::NewEvent> events,
                          EventsJson& json);

struct FilterMatches {
  std::shared_ptr<const GroupFilters> filters;  // shared with the cache of filters
  // Of the first filters. The others are matched when the events are stored: requests that wait for their turn must not
  // use much more memory than their events.
  std::vector<MetricMatches> metrics = {};
  std::vector<SubscriptionMatches> subscriptions = {};
};
FilterMatches match_all(std::shared_ptr<const GroupFilters> filters, std::span<const telemetry::NewEvent> events);

}  // namespace services::logs
