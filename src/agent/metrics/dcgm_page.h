// SPDX-License-Identifier: Apache-2.0
// This machine's GPUs in the format of NVIDIA's dcgm-exporter: its names, labels and texts, so that dashboards made
// for it work.
#pragma once

#include <string>
#include <vector>

#include "agent/gpu/gpu.h"

namespace agent {

// A container that holds a GPU. The labels are those that dcgm-exporter has for Kubernetes: container, namespace (our
// cluster) and pod (our task).
struct GpuUser {
  std::string container, cluster, task_id;
};

struct PageGpu {
  gpu::Gpu gpu;
  gpu::GpuSample sample;
  gpu::GpuDetails details;
  std::vector<GpuUser> users;  // a line for each; one line without these labels where there is none
};

// Values that a GPU lacks are left out, and so are metrics without values. `driver` is the driver's version.
std::string dcgm_page(const std::vector<PageGpu>& gpus, const std::string& host_name, const std::string& driver);

}  // namespace agent
