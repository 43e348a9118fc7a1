// SPDX-License-Identifier: Apache-2.0
// The parts that module.cc puts together. Each source exports its own.
#pragma once

#include <vector>

#include "services/module.h"

namespace services::cloudwatch {

// Woken when points are to be sealed into blocks; when blocks were written.
inline constexpr char kSealTopic[] = "cloudwatch/seal";
inline constexpr char kRollupTopic[] = "cloudwatch/rollup";

std::vector<Operation> get_metric_data_operations();
std::vector<Operation> get_metric_statistics_operations();
std::vector<Operation> list_metrics_operations();
std::vector<Operation> put_metric_data_operations();
std::vector<Operation> unsupported_operations();

}  // namespace services::cloudwatch
