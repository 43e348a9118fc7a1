// SPDX-License-Identifier: Apache-2.0
// Where a task's environment files are, and who reads them.
#pragma once

#include "client/request.h"
#include "shapes/agent/task.h"

namespace agent {

// The S3 that the server names for the task, with its keys; else the server itself, for the task's execution
// role, for the task where it has none, and for the agent where it has no credentials at all.
client::Profile objects_profile(client::Profile agent, const shapes::agent::Task& task);

}  // namespace agent
