// SPDX-License-Identifier: Apache-2.0
// Amazon Simple Queue Service.
#pragma once

#include "services/operation.h"

namespace services::sqs {

Service service();

}  // namespace services::sqs
