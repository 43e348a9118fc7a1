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
  prometheus::Family<prometheus::Histogram>* seconds = nullptr;
  prometheus::Family<prometheus::Counter>* errors = nullptr;
  prometheus::Family<prometheus::Counter>* bytes = nullptr;
  // Looked up once: making labels for each request would cost more than the sample.
  std::unordered_map<const services::Operation*, prometheus::Histogram*> durations;
  std::unordered_map<std::string_view, prometheus::Histogram*> actions;
  std::unordered_map<std::string_view, prometheus::Counter*> bytes_in, bytes_out;  // by service
};

Metrics::Metrics(const std::vector<services::Service>& services) : state_(std::make_unique<State>()) {
  state_->seconds = &prometheus::BuildHistogram()
                        .Name("stoker_request_seconds")
                        .Help("Requests that succeeded, by how long they took")
                        .Register(state_->registry);
  for (const services::Service& service : services) {
    for (const services::Operation& operation : service.operations) {
      state_->durations[&operation] = &state_->seconds->Add(
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

void Metrics::count_actions_of(std::string_view service, std::span<const std::string_view> actions) {
  for (std::string_view action : actions) {
    state_->actions[action] =
        &state_->seconds->Add({{"service", std::string(service)}, {"operation", std::string(action)}}, kSeconds);
  }
}

void Metrics::count_action(std::string_view action, std::chrono::nanoseconds took) {
  state_->actions.at(action)->Observe(std::chrono::duration<double>(took).count());
}

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

namespace {

void add_samples(const std::vector<services::Gauge>& samples, prometheus::MetricType type,
                 std::vector<prometheus::MetricFamily>& families) {
  for (const services::Gauge& sample : samples) {
    if (families.empty() || families.back().name != sample.name) {
      families.push_back({sample.name, sample.help, type, {}});
    }
    prometheus::ClientMetric metric;
    for (const auto& [name, value] : sample.labels) metric.label.push_back({name, value});
    metric.gauge.value = metric.counter.value = sample.value;
    families.back().metric.push_back(std::move(metric));
  }
}

}  // namespace

std::string Metrics::text(const Samples& samples) const {
  std::vector<prometheus::MetricFamily> families = state_->registry.Collect();
  for (prometheus::MetricFamily& family : families) {
    if (family.type != prometheus::MetricType::Histogram) continue;
    std::erase_if(family.metric, [](const auto& metric) { return metric.histogram.sample_count == 0; });
  }
  add_samples(samples.gauges, prometheus::MetricType::Gauge, families);
  add_samples(samples.counters, prometheus::MetricType::Counter, families);
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace api
