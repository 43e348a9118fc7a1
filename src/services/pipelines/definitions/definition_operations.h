// SPDX-License-Identifier: Apache-2.0
// The operations on pipelines, as rows; each list is next to its handlers.
#pragma once

#include <vector>

#include "services/operation.h"

namespace services::pipelines {

std::vector<Operation> pipeline_apply_operations();
std::vector<Operation> pipeline_pause_operations();
std::vector<Operation> pipeline_deletion_operations();
std::vector<Operation> pipeline_reading_operations();

}  // namespace services::pipelines
