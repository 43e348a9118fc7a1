// SPDX-License-Identifier: Apache-2.0
#include "services/logs/filters/process_events.h"

#include <cmath>
#include <optional>
#include <tuple>

#include "services/logs/emf.h"
#include "services/logs/filters/group_filters.h"
#include "services/logs/filters/minute_counts.h"
#include "services/logs/filters/publish.h"
#include "services/logs/filters/subscription_record.h"
#include "services/logs/patterns/json_tape.h"

namespace services::logs {
namespace {

using shapes::cloudwatch::Dimension;
using shapes::cloudwatch::MetricDatum;

constexpr std::size_t kMaxValuesOfDatum = 150;  // PutMetricData's
constexpr std::size_t kMaxDimensionText = 1024;
constexpr std::size_t kMaxHeldData = 10'000;
constexpr std::int64_t kMinuteOfEvents = 60'000;

void extract_metrics(Call& call, const Ingested& put, MinuteCount& count, DataByNamespace& data) {
  JsonTape tape;
  std::size_t total = 0;
  for (const telemetry::NewEvent& event : put.events) {
    if (!may_be_emf(event.message)) continue;
    if (total >= EmfLimits::kMaxDataOfRequest) {
      ++count.validation_errors;
      continue;
    }
    EmfMetrics metrics = read_emf(event.message, base::from_millis(event.timestamp_ms), call.now, tape);
    count.parsing_errors += metrics.parsing_errors;
    count.validation_errors += metrics.validation_errors;
    for (auto& input : metrics.data) {
      total += input.MetricData->size();
      auto& into = data[input.Namespace];
      into.insert(into.end(), std::make_move_iterator(input.MetricData->begin()),
                  std::make_move_iterator(input.MetricData->end()));
    }
  }
}

// The JSON of each event of a request.
using EventsJson = std::vector<LazyJson>;

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

// Equal values of a minute become one, with a count: a thousand matches are one datum.
void apply_metric_filter(const Ingested& put, const CompiledMetricFilter& filter, EventsJson& json, MinuteCount& count,
                         DataByNamespace& data) {
  std::map<std::pair<std::int64_t, std::vector<std::string>>, std::map<double, double>> points;
  bool matched = false;
  for (std::size_t i = 0; i < put.events.size(); ++i) {
    const telemetry::NewEvent& event = put.events[i];
    if (!filter.pattern.matches(event.message, json[i])) continue;
    matched = true;
    const auto value = value_of(filter, event.message, json[i]);
    auto dimensions = value ? dimensions_of(filter, event.message, json[i]) : std::nullopt;
    if (!dimensions) continue;
    const std::int64_t minute = event.timestamp_ms - event.timestamp_ms % kMinuteOfEvents;
    ++points[{minute, std::move(*dimensions)}][*value];
  }
  if (matched) count.matched.insert(filter.row.name);
  for (const auto& [key, counts] : points) {
    MetricDatum datum{.MetricName = filter.row.metric_name};
    datum.Timestamp = base::from_millis(key.first);
    datum.Unit = filter.row.unit;
    if (!filter.dimensions.empty()) datum.Dimensions.emplace();
    for (std::size_t i = 0; i < filter.dimensions.size(); ++i) {
      datum.Dimensions->push_back({.Name = filter.dimensions[i].first, .Value = key.second[i]});
    }
    datum.Values.emplace();
    datum.Counts.emplace();
    const auto add = [&] { data[filter.row.metric_namespace].push_back(datum); };
    for (const auto& [value, times] : counts) {
      datum.Values->push_back(value);
      datum.Counts->push_back(times);
      if (datum.Values->size() < kMaxValuesOfDatum) continue;
      add();
      datum.Values->clear();
      datum.Counts->clear();
    }
    if (!datum.Values->empty()) add();
  }
}

EventsJson events_json(const Ingested& put) {
  EventsJson json;
  json.reserve(put.events.size());
  for (const telemetry::NewEvent& event : put.events) json.emplace_back(event.message);
  return json;
}

std::size_t count_data(const DataByNamespace& data) {
  std::size_t total = 0;
  for (const auto& [space, all] : data) total += all.size();
  return total;
}

void publish_all(Call& call, const Group& group, DataByNamespace& data, MinuteCount& count) {
  if (!data.empty()) count.validation_errors += publish(call, group, data);
  data.clear();
}

void apply_subscription(Call& call, const Ingested& put, const CompiledSubscription& filter, EventsJson& json) {
  std::vector<RecordEvent> matching;
  for (std::size_t i = 0; i < put.events.size(); ++i) {
    const telemetry::NewEvent& event = put.events[i];
    if (!filter.pattern.matches(event.message, json[i])) continue;
    const telemetry::EventKey key{event.timestamp_ms, put.batch, static_cast<std::int64_t>(i)};
    matching.push_back({telemetry::event_id(key), event.timestamp_ms, event.message});
  }
  if (!matching.empty()) send_records(call, put, filter.row.name, filter.row.destination, matching);
}

}  // namespace

void process_events(Call& call, const Ingested& put) {
  MinuteCount count;
  count.events = static_cast<double>(put.events.size());
  for (const telemetry::NewEvent& event : put.events) {
    count.bytes += static_cast<double>(event.message.size() + telemetry::kEventOverheadBytes);
  }
  // Other classes have neither filters nor embedded metrics.
  if (put.group.log_class == kStandard) {
    DataByNamespace data;
    extract_metrics(call, put, count, data);
    const auto filters = call.local<FilterCache>().get(call.tx, put.group.id);
    EventsJson json;
    if (!filters->empty()) json = events_json(put);
    for (const CompiledMetricFilter& filter : filters->metrics) {
      // A filter makes up to one datum of each event: those of a hundred filters are not held in memory together.
      if (count_data(data) >= kMaxHeldData) publish_all(call, put.group, data, count);
      apply_metric_filter(put, filter, json, count, data);
    }
    publish_all(call, put.group, data, count);
    for (const CompiledSubscription& filter : filters->subscriptions) apply_subscription(call, put, filter, json);
  }
  count_minute(call, put.group, std::move(count));
}

}  // namespace services::logs
