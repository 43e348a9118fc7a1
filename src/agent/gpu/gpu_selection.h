// SPDX-License-Identifier: Apache-2.0
// Which GPUs an agent owns: all GPUs of a source, or the listed ones. Several agents of one machine share its GPUs by
// disjoint lists.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/gpu/gpu.h"

namespace agent::gpu {

inline constexpr std::size_t kMaxListedGpus = 64;

struct GpuSelection {
  std::string source;                  // "auto", "none", "fake:8xV100"
  std::string name = {};               // the ids of simulated GPUs derive from it; "": from the machine's name
  std::vector<std::string> listed = {};  // indexes ("0") and ids ("GPU-..."); empty: all
  bool operator==(const GpuSelection&) const = default;
};

// "auto", "none", "fake:8xV100", "fake:8xV100@NAME"; with "#0,3" or "#GPU-...": only those. "0,3" is "auto#0,3".
base::Result<GpuSelection> parse_gpus(const std::string& text);

// True: `gpu` is one of the listed ones, or all are meant.
bool selects(const GpuSelection& selection, const Gpu& gpu);

// Shows only the selected GPUs of `source`.
std::unique_ptr<GpuSource> select_gpus(std::unique_ptr<GpuSource> source, GpuSelection selection);

}  // namespace agent::gpu
