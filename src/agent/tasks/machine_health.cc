// SPDX-License-Identifier: Apache-2.0
#include "agent/tasks/machine_health.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/duration.h"
#include "base/log.h"

namespace agent {
namespace {

constexpr const char* kStarts = "starts";

// Phrases of the kernel, of Docker and of NVIDIA's runtime.
constexpr std::string_view kMachineFaults[] = {
    "no space left on device", "read-only file system", "input/output error",    "cannot allocate memory",
    "too many open files",     "structure needs cleaning", "failed to create shim", "nvidia-container-cli",
    "nvml error",              "could not select device driver", "devmapper",    "failed to mount overlay",
    "error creating overlay mount"};
// A runtime wraps these in errors of its own.
constexpr std::string_view kTaskFaults[] = {"executable file not found", "no such file or directory",
                                            "permission denied", "not a directory", "exec format error"};

bool has_any(const std::string& text, std::span<const std::string_view> phrases) {
  return std::ranges::any_of(phrases, [&](std::string_view phrase) { return text.find(phrase) != text.npos; });
}

}  // namespace

bool is_machine_fault(const std::string& error) {
  const std::string text = base::to_lower(error);
  return has_any(text, kMachineFaults) && !has_any(text, kTaskFaults);
}

void MachineHealth::set(const std::string& kind, const std::string& reason, base::Time now) {
  auto known = std::ranges::find(troubles_, kind, &shapes::agent::StokerTrouble::kind);
  if (known == troubles_.end()) {
    base::log_error("machine accepts no tasks", {{"trouble", kind}, {"reason", reason}});
    troubles_.push_back({kind, reason, base::to_millis(now)});
  } else if (known->reason != reason) {
    known->reason = reason;
  } else {
    return;
  }
  changed_.notify();
}

void MachineHealth::clear(const std::string& kind) {
  const auto is_it = [&](const auto& trouble) { return trouble.kind == kind; };
  if (std::erase_if(troubles_, is_it) == 0) return;
  base::log_info("machine recovered", {{"trouble", kind}});
  changed_.notify();
}

void MachineHealth::note_failure(const std::string& error, base::Time now) {
  if (!is_machine_fault(error) || paused_until_) return;
  if (++failures_ < kMaxFailures) return;
  paused_until_ = now + pause_;
  set(kStarts,
      "its last containers failed to start because of the machine, which pauses for " + base::duration_text(pause_) +
          ": " + error,
      now);
  pause_ = std::min(pause_ * 2, kLongestPause);
}

void MachineHealth::note_start() {
  failures_ = 0;
  pause_ = kFirstPause;
  paused_until_.reset();
  clear(kStarts);
}

void MachineHealth::resume(base::Time now) {
  if (!paused_until_ || now < *paused_until_) return;
  paused_until_.reset();
  failures_ = kMaxFailures - 1;
  clear(kStarts);
}

}  // namespace agent
