// SPDX-License-Identifier: Apache-2.0
// What this machine runs containers with, and its GPUs, by the options.
#pragma once

#include <memory>

#include "agent/agent.h"
#include "http/io_threads.h"

namespace agent {

// Both throw std::runtime_error with one clear line. open_driver() blocks: not for a thread of `io`.
std::unique_ptr<gpu::GpuSource> open_gpus(const Options& options);
std::unique_ptr<drivers::Driver> open_driver(const Options& options, http::IoThreads& io, const gpu::GpuSource& gpus);

}  // namespace agent
