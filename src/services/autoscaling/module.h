// SPDX-License-Identifier: Apache-2.0
// EC2 Auto Scaling: groups of instances and their policies.
#pragma once

#include "services/module.h"
#include "services/options.h"

namespace services::autoscaling {

Module module(const Options& options);

}  // namespace services::autoscaling
