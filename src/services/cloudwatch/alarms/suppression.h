// SPDX-License-Identifier: Apache-2.0
// Whether a composite alarm's actions are withheld because of its actions suppressor. Its state moves in any case.
#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"

namespace services::cloudwatch {

enum class SuppressedBy { Nothing, WaitPeriod, ExtensionPeriod, Alarm };
std::string_view to_text(SuppressedBy by);  // "" for Nothing
SuppressedBy parse_suppressed_by(std::string_view text);

struct Suppression {
  SuppressedBy by = SuppressedBy::Nothing;
  std::optional<base::Time> ends = {};  // of a wait or an extension
  bool withheld = false;                // the actions of the current state have not run

  bool operator==(const Suppression&) const = default;
};

struct SuppressorRules {
  bool present = false;
  base::Duration wait = base::Duration::zero(), extension = base::Duration::zero();
};

struct SuppressionStep {
  Suppression next = {};
  bool run_actions = false;  // those of the current state
};

// `transitioned`: the composite alarm has just changed its state. `suppressing`: the suppressor is in ALARM.
SuppressionStep step_suppression(const SuppressorRules& rules, const Suppression& before, bool transitioned,
                                 bool suppressing, base::Time now);

}  // namespace services::cloudwatch
