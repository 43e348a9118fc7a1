// SPDX-License-Identifier: Apache-2.0
#include "autoscaler/group_termination.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace autoscaler {
namespace {

using Members = std::vector<const GroupMember*>;

// Keeps the members with the least key.
template <class Key>
void keep_least(Members& members, Key key) {
  if (members.empty()) return;
  const auto least = key(**std::min_element(members.begin(), members.end(),
                                            [&](const auto* a, const auto* b) { return key(*a) < key(*b); }));
  std::erase_if(members, [&](const GroupMember* one) { return key(*one) != least; });
}

bool is_protected(const GroupMember& member) { return member.is_protected && member.lifecycle == Lifecycle::InService; }

base::Duration until_next_hour(const GroupMember& member, base::Time now) {
  constexpr base::Duration kHour = std::chrono::hours(1);
  const base::Duration age = std::max(now - member.launched_at, base::Duration(0));
  return kHour - age % kHour;
}

void keep_oldest_source(Members& members) {
  keep_least(members, [](const GroupMember& one) { return std::tuple(one.from_current_source, one.source_order); });
}

void keep_idle(Members& members) {
  keep_least(members, [](const GroupMember& one) { return one.is_busy; });
}

void apply_policy(Members& members, std::string_view policy, base::Time now) {
  const auto is_configured = [](const GroupMember& one) { return !one.from_configuration; };
  if (policy == "OldestInstance") {
    keep_least(members, [](const GroupMember& one) { return one.launched_at; });
  } else if (policy == "NewestInstance") {
    keep_least(members, [](const GroupMember& one) { return -one.launched_at.time_since_epoch().count(); });
  } else if (policy == "OldestLaunchConfiguration") {
    if (std::any_of(members.begin(), members.end(), [](const auto* one) { return one->from_configuration; })) {
      keep_least(members, is_configured);
      keep_oldest_source(members);
    }
  } else if (policy == "OldestLaunchTemplate") {
    if (std::any_of(members.begin(), members.end(), [](const auto* one) { return !one->from_configuration; })) {
      keep_least(members, [](const GroupMember& one) { return one.from_configuration; });
      keep_oldest_source(members);
    }
  } else if (policy == "ClosestToNextInstanceHour") {
    keep_least(members, [&](const GroupMember& one) { return until_next_hour(one, now); });
  } else if (policy == "AllocationStrategy") {
    keep_least(members, [](const GroupMember& one) { return -one.type_order; });
  } else if (policy == "Default") {
    keep_least(members, is_configured);
    keep_least(members, [](const GroupMember& one) { return -one.type_order; });
    keep_oldest_source(members);
    // Nobody pays by the hour here, so work counts before the hour.
    keep_idle(members);
    keep_least(members, [&](const GroupMember& one) { return until_next_hour(one, now); });
  }
}

// Of the zones with the most instances and an unprotected one; a zone that the group has no longer comes first.
Members most_crowded(const GroupState& group, const Members& members) {
  std::map<std::string_view, std::size_t> counts;
  for (const GroupMember* one : members) ++counts[one->zone];
  Members open = members;
  std::erase_if(open, [](const GroupMember* one) { return is_protected(*one); });
  keep_least(open, [&](const GroupMember& one) {
    const bool is_current = std::find(group.zones.begin(), group.zones.end(), one.zone) != group.zones.end();
    return std::pair(is_current, -static_cast<std::int64_t>(counts.at(one.zone)));
  });
  return open;
}

}  // namespace

std::vector<const GroupMember*> choose_terminations(const GroupState& group, Members members, std::size_t count,
                                                    base::Time now) {
  Members chosen;
  while (chosen.size() < count) {
    Members candidates = most_crowded(group, members);
    if (candidates.empty()) break;
    keep_least(candidates, [](const GroupMember& one) { return one.lifecycle == Lifecycle::InService; });
    for (const std::string& policy : group.termination_policies) apply_policy(candidates, policy, now);
    keep_idle(candidates);
    keep_least(candidates, [](const GroupMember& one) { return std::string_view(one.id); });
    chosen.push_back(candidates.front());
    std::erase(members, candidates.front());
  }
  return chosen;
}

}  // namespace autoscaler
