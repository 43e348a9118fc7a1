// SPDX-License-Identifier: Apache-2.0
// Amazon Simple Queue Service.
#pragma once

#include "services/operation.h"

namespace services::sqs {

Service service();
// For other services only.
std::vector<Operation> internal_operations();

}  // namespace services::sqs
