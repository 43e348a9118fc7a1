// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "services/operation.h"

namespace services::pipelines {

// ReportJobs, for workers.
std::vector<Operation> report_operations();

}  // namespace services::pipelines
