// SPDX-License-Identifier: Apache-2.0
// Rows of rules. There is one bus, "default", in each account and region.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "services/call.h"
#include "shapes/events/rule.h"
#include "store/store.h"

namespace services::events {

// Amazon's.
inline constexpr std::int64_t kMaxRules = 300;   // of a bus
inline constexpr std::int64_t kMaxTargets = 5;   // of a rule
inline constexpr std::int32_t kMaxPage = 100;

struct StoredRule {
  std::int64_t number = 0;
  std::string account, region, name;
  std::string pattern;
  bool enabled = true;
  std::optional<std::string> description, role_arn;
  std::vector<shapes::events::Tag> tags;

  std::string arn() const;
};

store::Migrations migrations();

// Throws where the bus is not the default one. `bus` is a name or an ARN.
void check_bus(const Caller& caller, const std::optional<std::string>& bus);

std::optional<StoredRule> load_rule(Call& call, const std::string& name);
// Throws ResourceNotFoundException.
StoredRule find_rule(Call& call, const std::string& name);
// The rule of an ARN, of the caller's account and region; throws ResourceNotFoundException.
StoredRule find_rule_by_arn(Call& call, const std::string& arn);
std::vector<StoredRule> list_enabled_rules(Call& call);
// Of any account.
bool has_enabled_rules(Call& call);

void insert_rule(Call& call, const StoredRule& rule);
void update_rule(Call& call, const StoredRule& rule);

}  // namespace services::events
