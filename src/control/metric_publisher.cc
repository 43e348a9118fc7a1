// SPDX-License-Identifier: Apache-2.0
#include "control/metric_publisher.h"

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include "base/log.h"
#include "services/invoke.h"
#include "shapes/cloudwatch/metric_data.h"
#include "wire/error.h"

namespace control {
namespace {

using services::Measurement;
using shapes::cloudwatch::MetricDatum;
using shapes::cloudwatch::PutMetricDataInput;

constexpr base::Duration kEverySecond = std::chrono::seconds(1), kEveryMinute = std::chrono::minutes(1);
// CloudWatch's limits of one request and of one datum.
constexpr std::size_t kMaxData = 1000, kMaxValues = 150;
// While nothing can be written, for instance because the disk is full. The oldest are dropped.
constexpr std::size_t kMaxUnwritten = 100000;

base::Time next_after(base::Time now, base::Duration step) {
  return base::from_millis(base::to_millis(now) - base::to_millis(now) % step.count()) + step;
}

std::vector<shapes::cloudwatch::Dimension> dimensions_of(const Measurement& measurement) {
  std::vector<shapes::cloudwatch::Dimension> all;
  for (const auto& [name, value] : measurement.metric.dimensions) all.push_back({name, value});
  return all;
}

// A datum has a limited number of distinct values, so a measurement may become several.
void add_data(const Measurement& measurement, std::vector<MetricDatum>& into) {
  for (std::size_t at = 0; at < measurement.values.size(); at += kMaxValues) {
    const auto first = static_cast<std::ptrdiff_t>(at);
    const auto last = static_cast<std::ptrdiff_t>(std::min(at + kMaxValues, measurement.values.size()));
    MetricDatum& datum = into.emplace_back();
    datum.MetricName = measurement.metric.name;
    datum.Dimensions = dimensions_of(measurement);
    datum.Timestamp = measurement.at;
    datum.Unit = measurement.unit;
    datum.StorageResolution = measurement.high_resolution ? 1 : 60;
    datum.Values.emplace(measurement.values.begin() + first, measurement.values.begin() + last);
    datum.Counts.emplace(measurement.counts.begin() + first, measurement.counts.begin() + last);
  }
}

// A rejected request must not keep the metrics of others from being written.
void put(services::Call& call, const services::Caller& principal, const PutMetricDataInput& request) {
  try {
    services::invoke(call, principal, "cloudwatch", "PutMetricData", request);
  } catch (const wire::ApiError& error) {
    base::log_warn("metrics were not published", {{"account", principal.account},
                                                  {"namespace", request.Namespace},
                                                  {"error", error.code() + ": " + error.message()}});
  }
}

}  // namespace

// After the clock was set back, the next turns are due soon all the same.
services::Due MetricPublisher::plan(services::Call& call) {
  const base::Time now = call.now;
  if (next_minute_ == base::Time() || next_minute_ > now + kEveryMinute) next_minute_ = next_after(now, kEveryMinute);
  if (next_second_ > now + kEverySecond) next_second_ = now;
  auto interest = call.local<services::MetricInterest>().current(now);
  const bool added = !std::includes(interest_.begin(), interest_.end(), interest.begin(), interest.end());
  interest_ = std::move(interest);
  const bool minute = now >= next_minute_;
  const bool second = !interest_.empty() && (minute || added || now >= next_second_);
  if (minute) next_minute_ = next_after(now, kEveryMinute);
  if (second) next_second_ = next_after(now, kEverySecond);
  return {minute, second, interest_};
}

services::Decision MetricPublisher::look(services::Call& call) {
  if (written_) unwritten_.clear();
  const services::Due due = plan(call);
  services::Decision decision;
  decision.next = interest_.empty() ? next_minute_ : std::min(next_minute_, next_second_);
  for (const Source& source : sources_) {
    services::Measured measured = source.measure(call, due);
    for (Measurement& point : measured.points) unwritten_.push_back({source.principal, std::move(point)});
    if (measured.again) decision.next = std::min(*decision.next, *measured.again);
  }
  if (unwritten_.size() > kMaxUnwritten) {
    unwritten_.erase(unwritten_.begin(), unwritten_.end() - static_cast<std::ptrdiff_t>(kMaxUnwritten));
  }
  written_ = unwritten_.empty();
  if (!written_) {
    decision.apply = [this](services::Call& writing) {
      write(writing);
      writing.tx.on_end([this](bool committed) { written_ = committed; });
    };
  }
  return decision;
}

void MetricPublisher::write(services::Call& call) const {
  using Target = std::tuple<std::string, std::string, std::string, std::string>;  // principal, account, region, space
  std::map<Target, std::vector<MetricDatum>> targets;
  for (const Point& point : unwritten_) {
    const services::MetricKey& metric = point.measurement.metric;
    add_data(point.measurement, targets[{point.principal, metric.account, metric.region, metric.space}]);
  }
  for (auto& [target, data] : targets) {
    const auto& [service, account, region, space] = target;
    services::Caller principal = services::as_service(call, service, "", account);
    principal.region = region;
    for (std::size_t at = 0; at < data.size(); at += kMaxData) {
      PutMetricDataInput request;
      request.Namespace = space;
      const auto first = data.begin() + static_cast<std::ptrdiff_t>(at);
      const auto last = data.begin() + static_cast<std::ptrdiff_t>(std::min(at + kMaxData, data.size()));
      request.MetricData.emplace(std::make_move_iterator(first), std::make_move_iterator(last));
      put(call, principal, request);
    }
  }
}

services::Loop publisher_loop(const std::vector<services::Module>& modules) {
  std::vector<MetricPublisher::Source> sources;
  for (const services::Module& module : modules) {
    if (module.measure) sources.push_back({std::string(module.service.wire.name) + ".amazonaws.com", module.measure});
  }
  // Shared: a loop's function may be copied.
  auto publisher = std::make_shared<MetricPublisher>(std::move(sources));
  return {"metrics", services::kPublishTopic, [publisher](services::Call& call) { return publisher->look(call); }};
}

}  // namespace control
