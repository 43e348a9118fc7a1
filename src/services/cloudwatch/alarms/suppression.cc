// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/alarms/suppression.h"

namespace services::cloudwatch {
namespace {

// A period of zero is over at once.
Suppression started(SuppressedBy by, base::Duration length, base::Time now, bool withheld) {
  return {.by = by, .ends = now + length, .withheld = withheld};
}

}  // namespace

std::string_view to_text(SuppressedBy by) {
  switch (by) {
    case SuppressedBy::Nothing: return "";
    case SuppressedBy::WaitPeriod: return "WaitPeriod";
    case SuppressedBy::ExtensionPeriod: return "ExtensionPeriod";
    case SuppressedBy::Alarm: return "Alarm";
  }
  return "";
}

SuppressedBy parse_suppressed_by(std::string_view text) {
  if (text == "WaitPeriod") return SuppressedBy::WaitPeriod;
  if (text == "ExtensionPeriod") return SuppressedBy::ExtensionPeriod;
  return text == "Alarm" ? SuppressedBy::Alarm : SuppressedBy::Nothing;
}

SuppressionStep step_suppression(const SuppressorRules& rules, const Suppression& before, bool transitioned,
                                 bool suppressing, base::Time now) {
  if (!rules.present) return {.next = {}, .run_actions = transitioned || before.withheld};
  Suppression next = before;
  if (transitioned) next.withheld = true;
  if (suppressing) {
    // Drops a wait or an extension that is under way.
    next.by = SuppressedBy::Alarm;
    next.ends.reset();
    return {.next = next, .run_actions = false};
  }
  if (transitioned) {
    next = started(SuppressedBy::WaitPeriod, rules.wait, now, true);
  } else if (before.by == SuppressedBy::Alarm) {
    next = started(SuppressedBy::ExtensionPeriod, rules.extension, now, before.withheld);
  }
  if (next.by == SuppressedBy::Nothing || (next.ends && *next.ends > now)) return {.next = next, .run_actions = false};
  return {.next = {}, .run_actions = next.withheld};
}

}  // namespace services::cloudwatch
