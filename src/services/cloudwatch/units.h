// SPDX-License-Identifier: Apache-2.0
// Units by number, as points are stored with. The numbers are those of Amazon's list, and must not change.
#pragma once

#include <iterator>
#include <optional>
#include <string_view>

#include "shapes/cloudwatch/alarm.h"
#include "telemetry/metrics/metric.h"

namespace services::cloudwatch {

inline constexpr telemetry::Unit kUnitNone = 26;
static_assert(std::size(shapes::cloudwatch::kStandardUnitValues) == kUnitNone + 1);
static_assert(shapes::cloudwatch::kStandardUnitValues[kUnitNone] == "None");

inline std::string_view unit_name(telemetry::Unit unit) { return shapes::cloudwatch::kStandardUnitValues[unit]; }

inline std::optional<telemetry::Unit> find_unit(std::string_view name) {
  for (telemetry::Unit unit = 0; unit <= kUnitNone; ++unit) {
    if (unit_name(unit) == name) return unit;
  }
  return std::nullopt;
}

}  // namespace services::cloudwatch
