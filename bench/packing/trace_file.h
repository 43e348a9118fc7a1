// SPDX-License-Identifier: Apache-2.0
// Reads a workload from two CSV files, in the form of Alibaba's published GPU traces of 2023.
#pragma once

#include <string>

#include "scheduler/test_trace.h"

namespace packing {

// Machines: sn,cpu_milli,memory_mib,gpu,model. Tasks: name,cpu_milli,memory_mib,num_gpu,gpu_milli[,gpu_spec,...].
// Throws std::runtime_error for a file that can't be read.
scheduler::test::Trace read_trace(const std::string& machines, const std::string& tasks);

}  // namespace packing
