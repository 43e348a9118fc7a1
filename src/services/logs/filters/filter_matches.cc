// SPDX-License-Identifier: Apache-2.0
#include "services/logs/filters/filter_matches.h"

#include <cmath>
#include <optional>

#include "services/logs/filters/publish.h"

namespace services::logs {
namespace {

constexpr std::size_t kMaxDimensionText = 1024;
constexpr std::int64_t kMinuteOfEvents = 60'000;
// Memory of the matches of a request: so much, and so many times its events.
constexpr std::size_t kFreeMatchBytes = 32 * 1024, kMatchBytesPerByte = 4;
constexpr std::size_t kPointBytes = 128;  // of a point without its texts and values, about

// The value of a matching event; nullopt where its field is missing or is no number.
std::optional<double> value_of(const CompiledMetricFilter& filter, std::string_view message, LazyJson& json) {
  if (!filter.value) return filter.number;
  const auto text = filter.value->value(message, json, filter.pattern);
  const auto number = text ? parse_number(*text) : std::nullopt;
  const bool storable = number && (*number == 0 || (std::abs(*number) <= std::ldexp(1.0, 360) &&
                                                    std::abs(*number) >= std::ldexp(1.0, -360)));
  return storable ? number : std::nullopt;
}

// nullopt where a field is missing, or can't be a dimension.
std::optional<std::vector<std::string>> dimensions_of(const CompiledMetricFilter& filter, std::string_view message,
                                                      LazyJson& json) {
  std::vector<std::string> values;
  for (const auto& [name, field] : filter.dimensions) {
    auto value = field.value(message, json, filter.pattern);
    if (!value || !is_dimension_text(*value, kMaxDimensionText)) return std::nullopt;
    values.push_back(std::move(*value));
  }
  return values;
}

std::size_t memory_of(const MetricMatches& matches) {
  std::size_t bytes = 0;
  for (const auto& [place, counts] : matches.points) {
    bytes += kPointBytes + counts.size() * sizeof(MetricMatches::Counts::value_type);
    for (const std::string& text : place.second) bytes += sizeof text + text.size();
  }
  return bytes;
}

std::size_t most_memory(std::span<const telemetry::NewEvent> events) {
  std::size_t bytes = 0;
  for (const telemetry::NewEvent& event : events) bytes += event.message.size() + telemetry::kEventOverheadBytes;
  return kFreeMatchBytes + kMatchBytesPerByte * bytes;
}

}  // namespace

EventsJson json_of(std::span<const telemetry::NewEvent> events) {
  EventsJson json;
  json.reserve(events.size());
  for (const telemetry::NewEvent& event : events) json.emplace_back(event.message);
  return json;
}

// Equal values of a minute become one, with a count: a thousand matches are one datum.
MetricMatches match(const CompiledMetricFilter& filter, std::span<const telemetry::NewEvent> events, EventsJson& json) {
  MetricMatches matches;
  std::map<MetricMatches::Place, std::map<double, double>> points;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const telemetry::NewEvent& event = events[i];
    if (!filter.pattern.matches(event.message, json[i])) continue;
    matches.any = true;
    const auto value = value_of(filter, event.message, json[i]);
    auto dimensions = value ? dimensions_of(filter, event.message, json[i]) : std::nullopt;
    if (!dimensions) continue;
    const std::int64_t minute = event.timestamp_ms - event.timestamp_ms % kMinuteOfEvents;
    ++points[{minute, std::move(*dimensions)}][*value];
  }
  for (const auto& [place, counts] : points) {
    matches.points.emplace(place, MetricMatches::Counts(counts.begin(), counts.end()));
  }
  return matches;
}

SubscriptionMatches match(const CompiledSubscription& filter, std::span<const telemetry::NewEvent> events,
                          EventsJson& json) {
  SubscriptionMatches matches;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (filter.pattern.matches(events[i].message, json[i])) matches.push_back(static_cast<std::uint32_t>(i));
  }
  return matches;
}

FilterMatches match_all(std::shared_ptr<const GroupFilters> filters, std::span<const telemetry::NewEvent> events) {
  FilterMatches all{.filters = std::move(filters)};
  if (all.filters->empty()) return all;
  EventsJson json = json_of(events);
  for (const CompiledSubscription& filter : all.filters->subscriptions) {
    all.subscriptions.push_back(match(filter, events, json));
  }
  std::size_t room = most_memory(events);
  for (const CompiledMetricFilter& filter : all.filters->metrics) {
    MetricMatches matches = match(filter, events, json);
    const std::size_t used = memory_of(matches);
    if (used > room) break;
    room -= used;
    all.metrics.push_back(std::move(matches));
  }
  return all;
}

}  // namespace services::logs
