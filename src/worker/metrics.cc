// SPDX-License-Identifier: Apache-2.0
#include "worker/metrics.h"

#include "base/log.h"
#include "http/signal.h"
#include "shapes/cloudwatch/errors.h"
#include "shapes/cloudwatch/metric_data.h"
#include "wire/type_of.h"

namespace worker {
namespace asio = boost::asio;
using shapes::cloudwatch::Dimension;
using shapes::cloudwatch::MetricDatum;
using shapes::cloudwatch::PutMetricDataInput;
namespace {

constexpr wire::Service kCloudWatchService{.name = "cloudwatch",
                                           .target_prefix = "GraniteServiceVersion20100801",
                                           .api_version = "2010-08-01",
                                           .query_compatible = true,
                                           .errors = shapes::cloudwatch::kErrors};
const client::Target kCloudWatch{kCloudWatchService, "monitoring", wire::Protocol::Json10};

constexpr char kMetricNamespace[] = "Stoker/Pipelines";
constexpr base::Duration kPublishEvery = std::chrono::minutes(1);

MetricDatum datum_of(const char* name, double value, const char* unit, const Dimension& dimension, base::Time now) {
  MetricDatum datum{.MetricName = name};
  datum.Dimensions = std::vector<Dimension>{dimension};
  datum.Timestamp = now;
  datum.Value = value;
  datum.Unit = unit;
  return datum;
}

}  // namespace

Metrics::Metrics(client::AsyncClient& client, std::string dimension, std::string value)
    : client_(client), dimension_(std::move(dimension)), value_(std::move(value)) {}

void Metrics::enter(Time now) {
  if (inside_++ == 0) busy_since_ = now;
}

void Metrics::leave(Time now) {
  if (--inside_ == 0) counts_.busy_seconds += std::chrono::duration<double>(now - busy_since_).count();
}

Counts Metrics::take(Time now) {
  if (inside_ > 0) {
    counts_.busy_seconds += std::chrono::duration<double>(now - busy_since_).count();
    busy_since_ = now;
  }
  return std::exchange(counts_, {});
}

asio::awaitable<void> Metrics::publish() {
  const Counts counts = take(std::chrono::steady_clock::now());
  if (counts.empty()) co_return;
  const base::Time now = base::SystemClock().now();
  const Dimension dimension{dimension_, value_};
  PutMetricDataInput input{.Namespace = kMetricNamespace};
  input.MetricData.emplace();
  input.MetricData->push_back(datum_of("Items", double(counts.items), "Count", dimension, now));
  input.MetricData->push_back(datum_of("Failures", double(counts.failures), "Count", dimension, now));
  input.MetricData->push_back(datum_of("BusySeconds", counts.busy_seconds, "Seconds", dimension, now));
  try {
    co_await client_.call(kCloudWatch, "PutMetricData", std::move(input));
  } catch (const std::exception& error) {
    base::log_warn("metrics not published", {{"error", error.what()}});
  }
}

asio::awaitable<void> Metrics::run() {
  for (;;) {
    co_await http::sleep_for(kPublishEvery);
    co_await publish();
  }
}

}  // namespace worker
