// SPDX-License-Identifier: Apache-2.0
// What a service measures of its resources, and when. One loop collects from all modules and publishes with
// PutMetricData (services/cloudwatch/publisher.h).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"
#include "services/metric_interest.h"

namespace services {

// Points of one metric at one time: `counts[i]` samples of `values[i]`.
struct Measurement {
  MetricKey metric;
  std::string unit;  // "Count"
  base::Time at;
  bool high_resolution = false;
  std::vector<double> values = {}, counts = {};
};

// What is to be measured now: all active resources, once a minute; the metrics of interest, every second; or, in a turn
// between, only metrics of interest that have changed.
struct Due {
  bool minute = false, second = false;
  const std::set<MetricKey>& interest;
};

struct Measured {
  std::vector<Measurement> points = {};
  // Something has changed that is not to be measured before this time.
  std::optional<base::Time> again = {};
};

}  // namespace services
