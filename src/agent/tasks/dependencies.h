// SPDX-License-Identifier: Apache-2.0
// The order in which a task's containers start and stop. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "agent/tasks/task_store.h"
#include "base/time.h"

namespace agent {

// dependsOn, and the START conditions that links and volumesFrom imply.
std::vector<shapes::agent::Dependency> dependencies_of(const shapes::agent::Container& container);

enum class Readiness { Ready, Waiting, Never };

struct StartAnswer {
  Readiness readiness = Readiness::Ready;
  std::string reason;               // of Never
  std::optional<base::Time> until;  // Waiting: when the first startTimeout expires
};

// startTimeout belongs to the container that is waited for and counts from its start, as Amazon
// documents it ("If a startTimeout value is specified for containerB and it doesn't reach the
// desired status within that time then containerA gives up and not start").
StartAnswer may_start(const TaskRecord& record, std::size_t container, base::Time now);

// A container stops after those that depend on it.
bool may_stop(const TaskRecord& record, std::size_t container);

}  // namespace agent
