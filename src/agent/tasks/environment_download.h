// SPDX-License-Identifier: Apache-2.0
// Downloads a container's environment files from S3.
#pragma once

#include "client/request.h"
#include "shapes/agent/task.h"

namespace agent {

// Where a task's objects are, and the credentials to read them. The S3 that the server names for the
// task comes first. Otherwise it is the server itself, with the credentials of the task's execution
// role, else those of the task's role, else the agent's own.
client::Profile objects_profile(client::Profile agent, const shapes::agent::Task& task);

}  // namespace agent
