// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/number_text.h"
#include "services/cloudwatch/operations.h"
#include "services/cloudwatch/units.h"
#include "services/cloudwatch/watched_series.h"
#include "shapes/cloudwatch/metric_data.h"
#include "telemetry/metrics/metric_store.h"
#include "telemetry/metrics/seal.h"

namespace services::cloudwatch {
namespace {

using namespace shapes::cloudwatch;
using telemetry::Aggregate;
using telemetry::NewPoint;

constexpr std::size_t kMaxData = 1000;
constexpr std::size_t kMaxValues = 150;
constexpr base::Duration kMaxAge = std::chrono::hours(14 * 24);
constexpr base::Duration kMaxAhead = std::chrono::hours(2);
const double kMaxMagnitude = std::ldexp(1.0, 360);
const double kMinMagnitude = std::ldexp(1.0, -360);

// "MetricData.member.3", built only for a message.
struct DatumPath {
  std::size_t index = 0;
  std::string operator()(std::string_view member) const {
    return "MetricData.member." + std::to_string(index + 1) + "." + std::string(member);
  }
};

bool is_storable(double value) {
  if (value == 0) return true;
  const double magnitude = std::abs(value);
  return magnitude <= kMaxMagnitude && magnitude >= kMinMagnitude;  // false for NaN
}

void check_number(double value, const DatumPath& path, std::string_view member) {
  if (is_storable(value)) return;
  throw invalid_value("The value " + grouped_number(value) + " for parameter " + path(member) + " is invalid.");
}

bool is_printable_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

bool is_blank(std::string_view text) { return text.find_first_not_of(' ') == text.npos; }

void check_name(std::string_view text, bool allowed, const std::string& path) {
  if (!allowed) throw invalid_value("The value " + std::string(text) + " for parameter " + path + " is invalid.");
}

void check_namespace(const Call& call, std::string_view space) {
  // Amazon reserves these for its own services; ours publish there as well.
  const bool reserved = space.starts_with("AWS/") && call.caller.service.empty();
  check_name(reserved ? std::string_view("AWS/") : space,
             !reserved && !space.starts_with(':') && is_printable_ascii(space) && !is_blank(space), "Namespace");
}

void check_metric_name(const MetricDatum& datum, const DatumPath& path) {
  const std::string& name = datum.MetricName;
  const bool controls = std::any_of(name.begin(), name.end(), [](char c) { return c >= 0 && c < 0x20; });
  check_name(name, !controls && !is_blank(name), controls || is_blank(name) ? path("MetricName") : "");
}

void check_dimensions(const std::vector<Dimension>& dimensions, const DatumPath& path) {
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const Dimension& one = dimensions[i];
    for (auto [text, member] : {std::pair(std::string_view(one.Name), ".Name"), {one.Value, ".Value"}}) {
      if (is_printable_ascii(text) && !is_blank(text) && !text.starts_with(':')) continue;
      check_name(text, false, path("Dimensions.member." + std::to_string(i + 1) + member));
    }
    const bool repeated = std::any_of(dimensions.begin(), dimensions.begin() + static_cast<std::ptrdiff_t>(i),
                                      [&](const Dimension& other) { return other.Name == one.Name; });
    if (repeated) throw invalid_value("The collection " + path("Dimensions") + " must not have duplicate names.");
  }
}

void append_dimensions(const std::vector<Dimension>& dimensions, std::string& key) {
  std::vector<const Dimension*> sorted;
  sorted.reserve(dimensions.size());
  for (const Dimension& one : dimensions) sorted.push_back(&one);
  std::sort(sorted.begin(), sorted.end(), [](const Dimension* a, const Dimension* b) { return a->Name < b->Name; });
  for (const Dimension* one : sorted) {
    telemetry::append_key_part(one->Name, key);
    telemetry::append_key_part(one->Value, key);
  }
}

std::int64_t second_of(const MetricDatum& datum, base::Time now, const DatumPath& path) {
  const base::Time at = datum.Timestamp.value_or(now);
  if (at < now - kMaxAge) {
    throw invalid_value("The parameter " + path("Timestamp") + " must specify a time within the past two weeks.");
  }
  if (at > now + kMaxAhead) {
    throw invalid_value("The parameter " + path("Timestamp") +
                        " must specify a time no more than two hours in the future.");
  }
  const std::int32_t resolution = datum.StorageResolution.value_or(60);
  if (resolution != 1 && resolution != 60) {
    throw invalid_value("The parameter " + path("StorageResolution") + " must be a value in the set [ 1, 60 ].");
  }
  const std::int64_t second = base::to_seconds(at);
  return second - second % resolution;
}

void reject_both(bool first, bool second, std::string_view a, std::string_view b, const DatumPath& path) {
  if (!first || !second) return;
  throw invalid_combination("The parameters " + path(a) + " and " + path(b) +
                            " are mutually exclusive and you have specified both.");
}

Aggregate aggregate_of(const StatisticSet& set, const DatumPath& path) {
  check_number(set.SampleCount, path, "StatisticValues.SampleCount");
  check_number(set.Sum, path, "StatisticValues.Sum");
  check_number(set.Minimum, path, "StatisticValues.Minimum");
  check_number(set.Maximum, path, "StatisticValues.Maximum");
  if (set.SampleCount <= 0) {
    throw invalid_value("The parameter " + path("StatisticValues.SampleCount") + " must be greater than 0.");
  }
  if (set.Maximum < set.Minimum) {
    throw invalid_value("The parameter " + path("StatisticValues.Maximum") + " must be greater than " +
                        path("StatisticValues.Minimum") + ".");
  }
  Aggregate result{.count = set.SampleCount, .sum = set.Sum, .min = set.Minimum, .max = set.Maximum};
  // Amazon computes percentiles of a set only if all of its samples are equal.
  if (set.Minimum == set.Maximum) result.values = {{set.Minimum, set.SampleCount}};
  return result;
}

Aggregate aggregate_of(const std::vector<double>& values, const std::vector<double>* counts, const DatumPath& path) {
  if (values.size() > kMaxValues) {
    throw invalid_value("The collection " + path("Values") + " must not have a size greater than " +
                        std::to_string(kMaxValues) + ".");
  }
  if (counts && counts->size() != values.size()) {
    throw invalid_value("The parameters " + path("Values") + " and " + path("Counts") + " must be of the same size.");
  }
  telemetry::Combiner combiner;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto member = [&](const char* list) { return list + (".member." + std::to_string(i + 1)); };
    if (!is_storable(values[i])) check_number(values[i], path, member("Values"));
    const double count = counts ? (*counts)[i] : 1;
    if (!is_storable(count)) check_number(count, path, member("Counts"));
    if (count < 0) throw invalid_value("The parameter " + path(member("Counts")) + " must be greater than 0.");
    if (count > 0) combiner.add(Aggregate::of(values[i], count));
  }
  return combiner.take();
}

// Sets the point's value or aggregate.
void read_samples(const MetricDatum& datum, const DatumPath& path, NewPoint& point) {
  const bool values = datum.Values && !datum.Values->empty();
  reject_both(datum.Value.has_value(), values, "Value", "Values", path);
  reject_both(datum.Value.has_value(), datum.StatisticValues.has_value(), "Value", "StatisticValues", path);
  reject_both(values, datum.StatisticValues.has_value(), "Values", "StatisticValues", path);
  if (datum.Value) {
    check_number(*datum.Value, path, "Value");
    point.value = *datum.Value;
  } else if (datum.StatisticValues) {
    point.aggregate = std::make_shared<const Aggregate>(aggregate_of(*datum.StatisticValues, path));
  } else if (values) {
    const auto* counts = datum.Counts ? &*datum.Counts : nullptr;
    point.aggregate = std::make_shared<const Aggregate>(aggregate_of(*datum.Values, counts, path));
  } else {
    throw wire::ApiError("MissingParameter", "At least one of the parameters " + path("Value") + " or " +
                                                 path("StatisticValues") + " must be specified.");
  }
}

wire::ApiError limit_error(telemetry::PutLimit limit) {
  switch (limit) {
    case telemetry::PutLimit::ActiveSeries:
      return wire::ApiError("LimitExceeded", "The account has " + std::to_string(telemetry::kMaxActiveSeries) +
                                                 " active metrics already: use fewer combinations of dimensions.");
    case telemetry::PutLimit::StoredSeries:
      return wire::ApiError("LimitExceeded", "The account has " + std::to_string(telemetry::kMaxStoredSeries) +
                                                 " stored metrics already: use fewer combinations of dimensions.");
    case telemetry::PutLimit::Journal: break;
  }
  return wire::ApiError("Throttling", "Metric points arrive faster than they can be compressed; try again.");
}

void put_metric_data(Call& call, const PutMetricDataInput& request) {
  check_namespace(call, request.Namespace);
  if (request.EntityMetricData && !request.EntityMetricData->empty()) throw unsupported_parameter("EntityMetricData");
  if (!request.MetricData || request.MetricData->empty()) throw missing_parameter("MetricData");
  const auto& data = *request.MetricData;
  if (data.size() > kMaxData) {
    throw invalid_value("The collection MetricData must not have a size greater than " + std::to_string(kMaxData) + ".");
  }
  const std::string prefix = telemetry::namespace_key(call.caller.account, call.caller.region, request.Namespace);
  std::vector<std::string> keys(data.size());
  std::vector<std::string_view> key_views(data.size());
  std::vector<NewPoint> points(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    const MetricDatum& datum = data[i];
    const DatumPath path{i};
    check_metric_name(datum, path);
    keys[i].reserve(prefix.size() + 96);
    keys[i] = prefix;
    telemetry::append_key_part(datum.MetricName, keys[i]);
    if (datum.Dimensions) {
      check_dimensions(*datum.Dimensions, path);
      append_dimensions(*datum.Dimensions, keys[i]);
    }
    key_views[i] = points[i].key = keys[i];
    points[i].unit = datum.Unit ? find_unit(*datum.Unit).value_or(kUnitNone) : kUnitNone;
    points[i].second = second_of(datum, call.now, path);
    read_samples(datum, path, points[i]);
  }
  // All samples of a datum may have the count 0.
  std::erase_if(points, [](const NewPoint& point) { return point.aggregate && point.aggregate->empty(); });
  auto& metrics = call.local<telemetry::MetricStore>();
  if (auto limit = metrics.put(call.tx, call.now, points)) throw limit_error(*limit);
  // The loop then computes when its next work is due: at once, or when this point has a certain age.
  if (metrics.head().journal().batches == 0 || telemetry::is_seal_due(metrics.head(), call.now)) call.wake(kSealTopic);

  WatchedSeries& watching = call.local<WatchedSeries>();
  auto watched = watching.watched(key_views);
  if (watched.empty()) return;
  call.tx.on_end([&watching, watched = std::move(watched)](bool committed) {
    if (committed) watching.mark(watched);
  });
  call.wake(kAlarmsTopic);
}

}  // namespace

std::vector<Operation> put_metric_data_operations() {
  return {operation<&put_metric_data>("PutMetricData", Access::Write)};
}

}  // namespace services::cloudwatch
