// SPDX-License-Identifier: Apache-2.0
// In which order a task's containers start and stop. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "agent/tasks/task_store.h"
#include "base/time.h"

namespace agent {

// dependsOn, and what links and volumesFrom imply: that the other one was started.
std::vector<shapes::agent::Dependency> dependencies_of(const shapes::agent::Container& container);

enum class Readiness { Ready, Waiting, Never };

struct StartAnswer {
  Readiness readiness = Readiness::Ready;
  std::string reason;               // Never: why
  std::optional<base::Time> until;  // Waiting: when the first startTimeout is over
};

// A startTimeout is that of the container that is waited for, counted from its start: so Amazon
// describes it ("If a startTimeout value is specified for containerB and it doesn't reach the
// desired status within that time then containerA gives up and not start").
StartAnswer may_start(const TaskRecord& record, std::size_t container, base::Time now);

// The reverse: first those that depend on it.
bool may_stop(const TaskRecord& record, std::size_t container);

}  // namespace agent
