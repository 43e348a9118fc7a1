// SPDX-License-Identifier: Apache-2.0
// A task's record in the words of the metadata endpoint.
#pragma once

#include "agent/metadata/registry.h"
#include "agent/tasks/task_store.h"

namespace agent {

TaskMetadata metadata_of(const TaskRecord& record, const std::string& availability_zone);

// "host" for processes, which have no network of their own.
std::string network_mode_of(const TaskRecord& record, bool processes);

}  // namespace agent
