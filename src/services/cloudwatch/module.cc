// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/module.h"

#include "services/cloudwatch/alarms/alarm_module.h"
#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/operations.h"
#include "services/cloudwatch/watched_series.h"
#include "services/metric_interest.h"
#include "telemetry/metrics/metric_store.h"
#include "telemetry/metrics/rollup.h"
#include "telemetry/metrics/schema.h"
#include "telemetry/metrics/seal.h"

namespace services::cloudwatch {
namespace {

// Amazon's limit of a request, before and after decompression.
constexpr std::size_t kBodyLimit = 1u << 20;

std::vector<Operation> all_operations() {
  std::vector<Operation> all;
  for (auto rows : {get_metric_data_operations(), get_metric_statistics_operations(), list_metrics_operations(),
                    put_metric_data_operations(), alarm_operations(), unsupported_operations()}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

Service make_service() {
  static const std::vector<wire::ErrorSpec> errors = error_table();
  Service cloudwatch;
  cloudwatch.wire = {.name = "cloudwatch",
                     .json_namespace = "com.amazonaws.cloudwatch.v2010_08_01",
                     .target_prefix = "GraniteServiceVersion20100801",
                     .api_version = "2010-08-01",
                     .xml_namespace = "http://monitoring.amazonaws.com/doc/2010-08-01/",
                     .query_compatible = true,
                     .errors = errors};
  cloudwatch.signing_name = "monitoring";
  cloudwatch.protocols = {wire::Protocol::Cbor, wire::Protocol::Json10, wire::Protocol::Query};
  cloudwatch.body_limit = kBodyLimit;
  cloudwatch.operations = all_operations();
  cloudwatch.violation_error = &violation_error;
  return cloudwatch;
}

Decision to_decision(telemetry::SealStep step) {
  Decision decision;
  decision.next = step.next;
  if (step.apply) {
    decision.apply = [apply = std::move(step.apply)](Call& write) {
      apply(write.tx);
      write.wake(kRollupTopic);
    };
  }
  return decision;
}

Loop seal_loop() {
  return {"metric seal", kSealTopic, [sealer = telemetry::Sealer()](Call& call) mutable {
            return to_decision(sealer.look(call.local<telemetry::MetricStore>(), call.now));
          }};
}

Loop rollup_loop() {
  return {"metric rollup", kRollupTopic, [](Call& call) {
            auto step = telemetry::look_for_rollup(call.local<telemetry::MetricStore>(), call.tx, call.now);
            Decision decision;
            decision.next = step.next;
            if (step.apply) decision.apply = [apply = std::move(step.apply)](Call& write) { apply(write.tx); };
            return decision;
          }};
}

// New steps of either kind go to the end.
store::Migrations migrations() {
  store::Migrations all{"cloudwatch", telemetry::metric_steps()};
  for (const std::string& step : alarm_steps()) all.steps.push_back(step);
  return all;
}

// From memory alone: these must not cost a scan of the tables.
std::vector<Gauge> metric_gauges(Call& call) {
  const telemetry::Head& head = call.local<telemetry::MetricStore>().head();
  const telemetry::JournalSize journal = head.journal();
  return {{.name = "stoker_metrics_active_series",
           .help = "Metrics with points in the last hours.",
           .value = static_cast<double>(head.size("").series)},
          {.name = "stoker_metrics_journal_bytes",
           .help = "Metric points that are not compressed yet.",
           .value = static_cast<double>(journal.bytes)}};
}

}  // namespace

Module module(const Options&) {
  Module cloudwatch;
  cloudwatch.service = make_service();
  cloudwatch.migrations = migrations();
  cloudwatch.add_memory = [](Locals& locals) {
    locals.add<telemetry::MetricStore>();
    locals.add<WatchedSeries>();
    locals.add<MetricInterest>();
    add_alarm_memory(locals);
  };
  cloudwatch.recover = [](Call& call) {
    call.local<telemetry::MetricStore>().recover(call.tx);
    recover_alarms(call);
  };
  cloudwatch.internal_operations = internal_alarm_operations();
  cloudwatch.gauges = &metric_gauges;
  cloudwatch.loops = {seal_loop(), rollup_loop()};
  for (const Loop& loop : alarm_loops()) cloudwatch.loops.push_back(loop);
  return cloudwatch;
}

}  // namespace services::cloudwatch
