// SPDX-License-Identifier: Apache-2.0
// What /metrics shows of clusters: tasks, machines, GPUs.
#pragma once

#include <vector>

#include "services/module.h"

namespace services::ecs {

std::vector<Gauge> gauges(Call& call);

}  // namespace services::ecs
