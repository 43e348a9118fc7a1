// SPDX-License-Identifier: Apache-2.0
#include "model/task_status.h"

#include <array>
#include <cstddef>

namespace model {
namespace {

constexpr std::array<std::string_view, 9> kTaskTexts = {"PROVISIONING",   "PENDING",      "ACTIVATING",
                                                        "RUNNING",        "DEACTIVATING", "STOPPING",
                                                        "DEPROVISIONING", "STOPPED",      "DELETED"};
constexpr std::array<std::string_view, 2> kDesiredTexts = {"RUNNING", "STOPPED"};
constexpr std::array<std::string_view, 6> kStopTexts = {"TaskFailedToStart", "EssentialContainerExited",
                                                        "UserInitiated",     "ServiceSchedulerInitiated",
                                                        "SpotInterruption",  "TerminationNotice"};

template <class Enum, std::size_t N>
std::optional<Enum> find(const std::array<std::string_view, N>& texts, std::string_view text) {
  for (std::size_t i = 0; i < N; ++i) {
    if (texts[i] == text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

using enum TaskStatus;

constexpr unsigned bit(TaskStatus status) { return 1u << static_cast<unsigned>(status); }

// The successors of each status. Agents report RUNNING and STOPPED only, so that the statuses in between may be
// skipped, and any may be followed by STOPPED.
constexpr std::array<unsigned, 9> kNext = {
    /* Provisioning */ bit(Pending) | bit(Deprovisioning) | bit(Stopped),
    /* Pending */ bit(Activating) | bit(Running) | bit(Stopping) | bit(Deprovisioning) | bit(Stopped),
    /* Activating */ bit(Running) | bit(Deactivating) | bit(Stopping) | bit(Deprovisioning) | bit(Stopped),
    /* Running */ bit(Deactivating) | bit(Stopping) | bit(Deprovisioning) | bit(Stopped),
    /* Deactivating */ bit(Stopping) | bit(Deprovisioning) | bit(Stopped),
    /* Stopping */ bit(Deprovisioning) | bit(Stopped),
    /* Deprovisioning */ bit(Stopped),
    /* Stopped */ bit(Deleted),
    /* Deleted */ 0,
};

}  // namespace

std::string_view text(TaskStatus status) { return kTaskTexts[static_cast<std::size_t>(status)]; }
std::string_view text(DesiredStatus status) { return kDesiredTexts[static_cast<std::size_t>(status)]; }
std::string_view text(StopCode code) { return kStopTexts[static_cast<std::size_t>(code)]; }

std::optional<TaskStatus> task_status(std::string_view text) { return find<TaskStatus>(kTaskTexts, text); }
std::optional<DesiredStatus> desired_status(std::string_view text) { return find<DesiredStatus>(kDesiredTexts, text); }
std::optional<StopCode> stop_code(std::string_view text) { return find<StopCode>(kStopTexts, text); }

bool may_become(TaskStatus from, TaskStatus to) { return kNext[static_cast<std::size_t>(from)] & bit(to); }

bool may_become(DesiredStatus from, DesiredStatus to) {
  return from == DesiredStatus::Running && to == DesiredStatus::Stopped;
}

// A task in PROVISIONING waits for capacity and has no instance yet.
bool holds_resources(TaskStatus status) { return status > Provisioning && status < Stopped; }

}  // namespace model
