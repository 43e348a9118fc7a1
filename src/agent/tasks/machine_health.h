// SPDX-License-Identifier: Apache-2.0
// Why this machine accepts no tasks: its engine is away, a disk is full, or containers repeatedly fail to start
// because of the machine. Used on one thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/signal.h"
#include "base/time.h"
#include "shapes/agent/extensions.h"

namespace agent {

// Whether a container failed to start because of its machine; a wrong image or command is the task's own fault.
bool is_machine_fault(const std::string& error);

class MachineHealth {
 public:
  static constexpr int kMaxFailures = 3;  // in a row
  static constexpr base::Duration kFirstPause = std::chrono::seconds(30);
  static constexpr base::Duration kLongestPause = std::chrono::minutes(10);

  // A trouble that is known keeps its time, and its reason is replaced.
  void set(const std::string& kind, const std::string& reason, base::Time now);
  void clear(const std::string& kind);

  // A container could not be pulled, created or started. After kMaxFailures in a row the machine pauses, each
  // time for twice as long; then one container may try.
  void note_failure(const std::string& error, base::Time now);
  void note_start();
  std::optional<base::Time> paused_until() const { return paused_until_; }
  // Ends a pause whose time has come.
  void resume(base::Time now);

  shapes::agent::StokerHealth message() const { return {troubles_}; }
  Signal& changed() { return changed_; }

 private:
  std::vector<shapes::agent::StokerTrouble> troubles_;
  int failures_ = 0;
  base::Duration pause_ = kFirstPause;
  std::optional<base::Time> paused_until_;
  Signal changed_;
};

}  // namespace agent
