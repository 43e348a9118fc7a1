// SPDX-License-Identifier: Apache-2.0
// Ids of the objects of a cluster. ARNs are parsed and built at the edge only.
#pragma once

#include "base/id.h"

namespace model {

using ClusterId = base::Id<struct ClusterTag>;
using InstanceId = base::Id<struct InstanceTag>;
using TaskId = base::Id<struct TaskTag>;
using ServiceId = base::Id<struct ServiceTag>;
using GpuId = base::Id<struct GpuTag>;  // "GPU-<uuid>", as the driver names it

}  // namespace model
