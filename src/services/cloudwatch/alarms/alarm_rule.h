// SPDX-License-Identifier: Apache-2.0
// The rule of a composite alarm: `ALARM(cpu) AND NOT (OK("disk full") OR AT_LEAST(50%, ALARM, (a, b, c)))`.
//
//   or     = and { "OR" and }
//   and    = not { "AND" not }
//   not    = "NOT" not | "(" or ")" | "TRUE" | "FALSE" | state "(" alarm ")"
//          | "AT_LEAST" "(" count ["%"] "," ["NOT"] state "," "(" alarm { "," alarm } ")" ")"
//   state  = "ALARM" | "OK" | "INSUFFICIENT_DATA"
//   alarm  = a name or an ARN, bare or in double quotes with \" inside
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "services/cloudwatch/alarms/evaluation.h"

namespace services::cloudwatch {

inline constexpr std::size_t kMaxRuleLength = 10240;   // Amazon's
inline constexpr std::size_t kMaxRuleElements = 500;   // Amazon's
inline constexpr std::size_t kMaxRuleChildren = 100;   // Amazon's
inline constexpr int kMaxRuleDepth = 64;

struct RuleNode {
  enum class Kind { Constant, Not, And, Or, State, AtLeast };

  Kind kind = Kind::Constant;
  bool constant = false;
  AlarmState state = AlarmState::Alarm;   // of a State or AtLeast
  bool negated = false;                   // AtLeast: in any other state
  double count = 0;                       // AtLeast
  bool percent = false;                   // AtLeast: `count` is of all its alarms
  std::vector<std::string> alarms = {};   // of a State (one) or AtLeast: names or ARNs
  std::vector<RuleNode> parts = {};
};

// Throws wire::ApiError (ValidationError) "Error in AlarmRule [...]".
RuleNode parse_alarm_rule(std::string_view text);

// The alarms of a rule, each once, in their order.
std::vector<std::string> alarms_of(const RuleNode& rule);

bool rule_holds(const RuleNode& rule, const std::function<AlarmState(const std::string& alarm)>& state_of);

}  // namespace services::cloudwatch
