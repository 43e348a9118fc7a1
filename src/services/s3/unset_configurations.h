// SPDX-License-Identifier: Apache-2.0
// Configurations that buckets have by id, and of which none has any here: analytics, Intelligent-Tiering,
// inventory and metrics. Tools that ask for them are told so; setting one is refused.
#pragma once

#include <vector>

#include "services/operation.h"

namespace services::s3 {

std::vector<Operation> configuration_operations();

}  // namespace services::s3
