// SPDX-License-Identifier: Apache-2.0
// Rows of rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "services/call.h"
#include "services/events/event_bus.h"
#include "shapes/events/rule.h"
#include "store/store.h"

namespace services::events {

// Amazon's.
inline constexpr std::int64_t kMaxRules = 300;   // of a bus
inline constexpr std::int64_t kMaxTargets = 5;   // of a rule

struct StoredRule {
  std::int64_t number = 0;
  BusName bus;
  std::string name;
  std::optional<std::string> pattern, schedule;
  bool enabled = true;
  std::optional<std::string> description, role_arn;
  std::vector<shapes::events::Tag> tags;
  std::optional<base::Time> due_at;  // of an enabled rule with a schedule

  std::string arn() const;
};

store::Migrations migrations();

std::optional<StoredRule> load_rule(Call& call, const BusName& bus, const std::string& name);
std::optional<StoredRule> load_rule(Call& call, std::int64_t number);
// Throws ResourceNotFoundException where the bus or the rule does not exist. `bus` is a name or an ARN.
StoredRule find_rule(Call& call, const std::optional<std::string>& bus, const std::string& name);
// The rule of an ARN, of the caller's account and region; throws ResourceNotFoundException.
StoredRule find_rule_by_arn(Call& call, const std::string& arn);
// The names of a bus's rules that start with a prefix, in order, after a name. kMaxRules bounds the list.
std::vector<std::string> list_rule_names(Call& call, const BusName& bus, const std::string& prefix,
                                         const std::string& after);
// Those with a pattern.
std::vector<StoredRule> list_enabled_rules(Call& call, const BusName& bus);
// Of any account.
bool has_enabled_rules(Call& call);

void insert_rule(Call& call, const StoredRule& rule);
void update_rule(Call& call, const StoredRule& rule);

}  // namespace services::events
