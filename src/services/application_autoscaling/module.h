// SPDX-License-Identifier: Apache-2.0
// Application Auto Scaling: the desired count of ECS services.
#pragma once

#include "services/module.h"
#include "services/options.h"

namespace services::application_autoscaling {

Module module(const Options& options);

}  // namespace services::application_autoscaling
