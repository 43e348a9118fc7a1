// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace telemetry {

// The steps of the migration of the tables of metric points.
std::vector<std::string> metric_steps();

}  // namespace telemetry
