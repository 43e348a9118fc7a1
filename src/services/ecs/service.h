// SPDX-License-Identifier: Apache-2.0
// Amazon Elastic Container Service.
#pragma once

#include "services/operation.h"

namespace services::ecs {

Service service();

}  // namespace services::ecs
