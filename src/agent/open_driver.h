// SPDX-License-Identifier: Apache-2.0
// Opens the container driver and the GPUs that the options select.
#pragma once

#include <memory>

#include "agent/agent.h"
#include "http/io_threads.h"

namespace agent {

// Both throw std::runtime_error with a one-line message. open_driver() blocks, so it must not be called on a
// thread of `io`.
std::unique_ptr<gpu::GpuSource> open_gpus(const Options& options);
std::unique_ptr<drivers::Driver> open_driver(const Options& options, http::IoThreads& io, const gpu::GpuSource& gpus);

}  // namespace agent
