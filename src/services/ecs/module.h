// SPDX-License-Identifier: Apache-2.0
// Amazon Elastic Container Service: clusters, task definitions, container instances and tasks.
#pragma once

#include "services/module.h"
#include "services/options.h"

namespace services::ecs {

Module module(const Options& options);

}  // namespace services::ecs
