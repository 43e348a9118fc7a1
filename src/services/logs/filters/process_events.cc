// SPDX-License-Identifier: Apache-2.0
#include "services/logs/filters/process_events.h"

#include "services/logs/emf.h"
#include "services/logs/filters/filter_matches.h"
#include "services/logs/filters/minute_counts.h"
#include "services/logs/filters/publish.h"
#include "services/logs/filters/subscription_record.h"
#include "services/logs/patterns/json_tape.h"

namespace services::logs {
namespace {

using shapes::cloudwatch::MetricDatum;

constexpr std::size_t kMaxValuesOfDatum = 150;  // PutMetricData's
constexpr std::size_t kMaxHeldData = 10'000;

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

void add_data(const CompiledMetricFilter& filter, const MetricMatches& matches, MinuteCount& count, DataByNamespace& data) {
  if (matches.any) count.matched.insert(filter.row.name);
  for (const auto& [key, counts] : matches.points) {
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

std::size_t count_data(const DataByNamespace& data) {
  std::size_t total = 0;
  for (const auto& [space, all] : data) total += all.size();
  return total;
}

void publish_all(Call& call, const Group& group, DataByNamespace& data, MinuteCount& count) {
  if (!data.empty()) count.validation_errors += publish(call, group, data);
  data.clear();
}

void send_matches(Call& call, const Ingested& put, const CompiledSubscription& filter, const SubscriptionMatches& matches) {
  std::vector<RecordEvent> matching;
  for (const std::uint32_t i : matches) {
    const telemetry::NewEvent& event = put.events[i];
    const telemetry::EventKey key{event.timestamp_ms, put.batch, static_cast<std::int64_t>(i)};
    matching.push_back({telemetry::event_id(key), event.timestamp_ms, event.message});
  }
  if (!matching.empty()) send_records(call, put, filter.row.name, filter.row.destination, matching);
}

// What was found before the transaction, or else what is found now, in `fresh`.
template <class Filter, class Matches>
const Matches& matches_of(const Filter& filter, std::size_t at, const std::vector<Matches>* found, const Ingested& put,
                          EventsJson& json, Matches& fresh) {
  if (found && at < found->size()) return (*found)[at];
  if (json.empty()) json = json_of(put.events);
  fresh = match(filter, put.events, json);
  return fresh;
}

void apply_filters(Call& call, const Ingested& put, MinuteCount& count, DataByNamespace& data) {
  const auto filters = call.local<FilterCache>().get(call.tx, put.group.id);
  const FilterMatches* found = put.matches;
  EventsJson json;
  for (std::size_t i = 0; i < filters->metrics.size(); ++i) {
    // A filter makes up to one datum of each event: those of a hundred filters are not held in memory together.
    if (count_data(data) >= kMaxHeldData) publish_all(call, put.group, data, count);
    const CompiledMetricFilter& filter = filters->metrics[i];
    MetricMatches fresh;
    add_data(filter, matches_of(filter, i, found ? &found->metrics : nullptr, put, json, fresh), count, data);
  }
  publish_all(call, put.group, data, count);
  for (std::size_t i = 0; i < filters->subscriptions.size(); ++i) {
    const CompiledSubscription& filter = filters->subscriptions[i];
    SubscriptionMatches fresh;
    send_matches(call, put, filter, matches_of(filter, i, found ? &found->subscriptions : nullptr, put, json, fresh));
  }
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
    apply_filters(call, put, count, data);
  }
  count_minute(call, put.group, std::move(count));
}

}  // namespace services::logs
