// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/operations.h"

namespace services::pipelines {

std::vector<Operation> job_operations() { return {}; }
std::vector<Operation> internal_job_operations() { return {}; }
std::vector<Loop> job_loops() { return {}; }

}  // namespace services::pipelines
