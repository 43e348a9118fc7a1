// SPDX-License-Identifier: Apache-2.0
#include "api/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <unordered_map>

namespace api {
namespace {

const prometheus::Histogram::BucketBoundaries kSeconds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                                          0.05,   0.1,   0.25,   1,     5,    20};

}  // namespace

struct Metrics::State {
  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>* errors = nullptr;
  prometheus::Family<prometheus::Counter>* bytes = nullptr;
  // Looked up once: making labels for each request would cost more than the sample.
  std::unordered_map<const services::Operation*, prometheus::Histogram*> durations;
  std::unordered_map<std::string_view, prometheus::Counter*> bytes_in, bytes_out;  // by service
};

Metrics::Metrics(const std::vector<services::Service>& services) : state_(std::make_unique<State>()) {
  auto& durations = prometheus::BuildHistogram()
                        .Name("stoker_request_seconds")
                        .Help("Requests that succeeded, by how long they took")
                        .Register(state_->registry);
  for (const services::Service& service : services) {
    for (const services::Operation& operation : service.operations) {
      state_->durations[&operation] = &durations.Add(
          {{"service", std::string(service.wire.name)}, {"operation", std::string(operation.wire.name)}}, kSeconds);
    }
  }
  state_->errors = &prometheus::BuildCounter()
                        .Name("stoker_request_errors_total")
                        .Help("Requests that were answered with an error, by its code")
                        .Register(state_->registry);
  state_->bytes = &prometheus::BuildCounter()
                       .Name("stoker_object_bytes_total")
                       .Help("Bytes of objects that came in and went out")
                       .Register(state_->registry);
}

Metrics::~Metrics() = default;

void Metrics::count_bytes_of(std::string_view service) {
  const std::string name(service);
  state_->bytes_in[service] = &state_->bytes->Add({{"service", name}, {"direction", "in"}});
  state_->bytes_out[service] = &state_->bytes->Add({{"service", name}, {"direction", "out"}});
}

void Metrics::count_bytes(std::string_view service, std::uint64_t in, std::uint64_t out) {
  if (in > 0) state_->bytes_in.at(service)->Increment(static_cast<double>(in));
  if (out > 0) state_->bytes_out.at(service)->Increment(static_cast<double>(out));
}

void Metrics::count(const services::Operation& operation, std::chrono::nanoseconds took) {
  state_->durations.at(&operation)->Observe(std::chrono::duration<double>(took).count());
}

void Metrics::count_error(std::string_view service, std::string_view operation, std::string_view code) {
  state_->errors
      ->Add({{"service", std::string(service)}, {"operation", std::string(operation)}, {"code", std::string(code)}})
      .Increment();
}

std::string Metrics::text(const std::vector<services::Gauge>& gauges) const {
  std::vector<prometheus::MetricFamily> families = state_->registry.Collect();
  for (const services::Gauge& gauge : gauges) {
    if (families.empty() || families.back().name != gauge.name) {
      families.push_back({gauge.name, gauge.help, prometheus::MetricType::Gauge, {}});
    }
    prometheus::ClientMetric metric;
    for (const auto& [name, value] : gauge.labels) metric.label.push_back({name, value});
    metric.gauge.value = gauge.value;
    families.back().metric.push_back(std::move(metric));
  }
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace api
