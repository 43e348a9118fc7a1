// SPDX-License-Identifier: Apache-2.0
// Labels of GetMetricData's results, with Amazon's dynamic parts: "p99 ${LABEL}: ${LAST} (max ${MAX})".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "services/cloudwatch/math/math_series.h"

namespace services::cloudwatch {

// What a label may refer to.
struct LabelFacts {
  std::string default_label;
  const std::vector<MathPoint>& points;  // in order of time
  base::Time now;
  base::Duration zone = {};  // ahead of UTC
  // Of a metric; "" for expressions.
  std::string account, region, space, name, statistic, period;
  std::vector<std::pair<std::string, std::string>> dimensions = {};
};

// Throws wire::ApiError for an unknown or malformed part, more than 5 of them, or a second ${LABEL}.
std::string make_label(std::string_view text, const LabelFacts& facts);

// "+0130"; nullopt for other texts.
std::optional<base::Duration> parse_zone(std::string_view text);

}  // namespace services::cloudwatch
