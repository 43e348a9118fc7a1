// SPDX-License-Identifier: Apache-2.0
// Converts a task's record to the data of the metadata endpoint.
#pragma once

#include "agent/metadata/registry.h"
#include "agent/tasks/task_store.h"

namespace agent {

TaskMetadata metadata_of(const TaskRecord& record, const std::string& availability_zone);

// "host" for processes, which share the machine's network.
std::string network_mode_of(const TaskRecord& record, bool processes);

}  // namespace agent
