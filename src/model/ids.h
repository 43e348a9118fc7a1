// SPDX-License-Identifier: Apache-2.0
// What names the things of a cluster. ARNs are made of these at the edge, never inside.
#pragma once

#include "base/id.h"

namespace model {

using ClusterId = base::Id<struct ClusterTag>;
using InstanceId = base::Id<struct InstanceTag>;
using TaskId = base::Id<struct TaskTag>;
using ServiceId = base::Id<struct ServiceTag>;
using GpuId = base::Id<struct GpuTag>;  // "GPU-<uuid>", as the driver names it

}  // namespace model
