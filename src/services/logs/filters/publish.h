// SPDX-License-Identifier: Apache-2.0
// Metric data on behalf of a log group, by CloudWatch's PutMetricData.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "services/call.h"
#include "services/logs/group.h"
#include "shapes/cloudwatch/metric_data.h"

namespace services::logs {

inline constexpr char kPrincipal[] = "logs.amazonaws.com";

using DataByNamespace = std::map<std::string, std::vector<shapes::cloudwatch::MetricDatum>>;

// In the caller's transaction. Data that CloudWatch rejects are dropped: the number of rejected requests.
int publish(Call& call, const Group& group, const DataByNamespace& data);

// Whether CloudWatch accepts it in a dimension.
bool is_dimension_text(std::string_view text, std::size_t most);

}  // namespace services::logs
