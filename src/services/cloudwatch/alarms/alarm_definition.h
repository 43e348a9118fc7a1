// SPDX-License-Identifier: Apache-2.0
// A metric alarm as it is evaluated: its rules, and how its points are read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/call.h"
#include "services/cloudwatch/alarms/evaluation.h"
#include "services/cloudwatch/math/math_program.h"
#include "services/cloudwatch/statistic.h"
#include "shapes/cloudwatch/alarm.h"
#include "telemetry/metrics/metric.h"

namespace services::cloudwatch {

struct AlarmMetric {
  std::string id;  // "" for an alarm on a single metric
  telemetry::Metric metric;
  Statistic statistic;
  std::optional<telemetry::Unit> unit = {};
};

struct AlarmDefinition {
  AlarmRules rules;
  std::vector<AlarmMetric> metrics;
  std::optional<MathProgram> program;  // of metric math
  std::string returned_id;             // the query that the program's alarm compares
};

// Of a configuration that passed check_metric_alarm().
AlarmDefinition define_alarm(const std::string& account, const std::string& region,
                             const shapes::cloudwatch::PutMetricAlarmInput& input);

// The keys of the metrics that it reads.
std::vector<std::string> metric_keys(const AlarmDefinition& definition);

// Reads its points at `call.now`.
ReadSlots slot_reader(Call& call, const AlarmDefinition& definition);

std::optional<Comparison> parse_comparison(std::string_view text);  // nullopt: a comparison with a band
std::optional<MissingData> parse_missing_data(std::string_view text);
// The period that all metrics of the list share; nullopt if there is none.
std::optional<std::int64_t> shared_period(const std::vector<shapes::cloudwatch::MetricDataQuery>& metrics);
std::vector<MathQuery> math_queries(const std::vector<shapes::cloudwatch::MetricDataQuery>& metrics);

}  // namespace services::cloudwatch
