// SPDX-License-Identifier: Apache-2.0
// Operations of Amazon's that Stoker does not have.
#pragma once

#include <vector>

#include "services/operation.h"

namespace services::autoscaling {

std::vector<Operation> unsupported_operations();

}  // namespace services::autoscaling
