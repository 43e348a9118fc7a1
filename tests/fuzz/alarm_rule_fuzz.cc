// SPDX-License-Identifier: Apache-2.0
// Any bytes as the rule of a composite alarm: an error, or a rule that can be evaluated.
#include <cstddef>
#include <cstdint>

#include "services/cloudwatch/alarms/alarm_rule.h"
#include "wire/error.h"

using namespace services::cloudwatch;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const RuleNode rule = parse_alarm_rule({reinterpret_cast<const char*>(data), size});
    alarms_of(rule);
    rule_holds(rule, [](const std::string& alarm) { return alarm == "a" ? AlarmState::Alarm : AlarmState::Ok; });
  } catch (const wire::ApiError&) {
  }
  return 0;
}
