// SPDX-License-Identifier: Apache-2.0
// ECS's tables.
#pragma once

#include "store/store.h"

namespace services::ecs {

store::Migrations migrations();

}  // namespace services::ecs
