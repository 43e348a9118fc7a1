// SPDX-License-Identifier: Apache-2.0
#include "autoscaler/group_termination.h"

#include <algorithm>
#include <limits>
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

base::Duration until_next_hour(const GroupMember& member, base::Time now) {
  constexpr base::Duration kHour = std::chrono::hours(1);
  const base::Duration age = std::max(now - member.launched_at, base::Duration(0));
  return kHour - age % kHour;
}

void keep_oldest_source(Members& members) {
  keep_least(members, [](const GroupMember& one) { return std::tuple(one.from_current_source, one.source_order); });
}

// A daemon runs on every machine, and is less than work that only one machine does.
void keep_idle(Members& members) {
  keep_least(members, [](const GroupMember& one) { return one.is_busy && !one.runs_only_daemons; });
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

using ZoneSizes = std::map<std::string_view, std::int64_t>;

// Of the zones with the most instances and one that may go; a zone that the group has no longer comes first.
Members most_crowded(const GroupState& group, const ZoneSizes& sizes, const Members& open) {
  ZoneSizes ranks;
  for (const auto& [zone, size] : sizes) {
    const bool is_current = std::find(group.zones.begin(), group.zones.end(), zone) != group.zones.end();
    ranks[zone] = is_current ? -size : std::numeric_limits<std::int64_t>::min();
  }
  Members crowded = open;
  keep_least(crowded, [&](const GroupMember& one) { return ranks.at(one.zone); });
  return crowded;
}

}  // namespace

bool is_protected(const GroupMember& member) { return member.is_protected && member.lifecycle == Lifecycle::InService; }

std::vector<const GroupMember*> choose_terminations(const GroupState& group, const Members& members,
                                                    std::int32_t surplus, base::Time now) {
  ZoneSizes sizes;
  for (const GroupMember* one : members) ++sizes[one->zone];
  Members open = members, chosen;
  std::erase_if(open, [](const GroupMember* one) { return is_protected(*one); });
  while (chosen.size() < kMaxTerminationsPerPlan + 1) {
    std::erase_if(open, [&](const GroupMember* one) { return one->weight > surplus; });
    Members candidates = most_crowded(group, sizes, open);
    if (candidates.empty()) break;
    keep_least(candidates, [](const GroupMember& one) { return one.lifecycle == Lifecycle::InService; });
    for (const std::string& policy : group.termination_policies) apply_policy(candidates, policy, now);
    keep_idle(candidates);
    keep_least(candidates, [](const GroupMember& one) { return std::string_view(one.id); });
    const GroupMember* one = candidates.front();
    chosen.push_back(one);
    surplus -= one->weight;
    --sizes[one->zone];
    std::erase(open, one);
  }
  return chosen;
}

}  // namespace autoscaler
