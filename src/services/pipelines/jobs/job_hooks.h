// SPDX-License-Identifier: Apache-2.0
// ObjectCreated, MessageDeadLettered and RemoveJobs (shapes/stoker/pipeline_hooks.h), and the loops that
// delete jobs and find lost messages.
#pragma once

#include <vector>

#include "services/module.h"

namespace services::pipelines {

// The loop has something to delete: a pipeline was deleted, or keeps its jobs for a shorter time.
inline constexpr char kJobSweepTopic[] = "pipelines/sweep";

std::vector<Operation> hook_operations();
Loop job_sweep_loop();
Loop lost_message_loop();

}  // namespace services::pipelines
