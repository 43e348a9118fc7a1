// SPDX-License-Identifier: Apache-2.0
// Embedded Metric Format: metrics in log events that are JSON objects with `_aws.CloudWatchMetrics`.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "services/logs/patterns/json_tape.h"
#include "shapes/cloudwatch/metric_data.h"

namespace services::logs {

struct EmfLimits {
  static constexpr std::size_t kMaxNamespace = 1024;
  static constexpr std::size_t kMaxMetrics = 100;     // in a directive
  static constexpr std::size_t kMaxValues = 100;      // of a metric
  static constexpr std::size_t kMaxDimensions = 30;   // in a set
  static constexpr std::size_t kMaxDimensionName = 250;
  static constexpr std::size_t kMaxDimensionValue = 1024;
  static constexpr std::size_t kMaxMetricName = 255;
  // Ours: dimension sets times metrics of one event. Few bytes may stand for many data.
  static constexpr std::size_t kMaxData = 10'000;
  // Ours: events of a request beyond this have no metrics.
  static constexpr std::size_t kMaxDataOfRequest = 100'000;
};

struct EmfMetrics {
  std::vector<shapes::cloudwatch::PutMetricDataInput> data = {};  // one for each directive with metrics
  int parsing_errors = 0;     // not JSON, though it looks like this format
  int validation_errors = 0;  // JSON that breaks a rule of the format
};

// Whether an event may have metrics. Costs next to nothing for events that have none.
bool may_be_emf(std::string_view message);

// The metrics of an event. Each part that breaks a rule is counted and left out. The tape is scratch space.
EmfMetrics read_emf(std::string_view message, base::Time event_time, base::Time now, JsonTape& tape);

}  // namespace services::logs
