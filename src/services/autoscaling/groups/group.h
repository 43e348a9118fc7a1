// SPDX-License-Identifier: Apache-2.0
// Rows of Auto Scaling groups.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "services/call.h"
#include "shapes/autoscaling/group.h"
#include "store/store.h"

namespace services::autoscaling {

// A subnet of the group's VPCZoneIdentifier, and its zone.
struct GroupSubnet {
  std::string id, zone;
  bool operator==(const GroupSubnet&) const = default;
};
BOOST_DESCRIBE_STRUCT(GroupSubnet, (), (id, zone))

struct GroupTag {
  std::string key, value;
  bool propagate = false;
  bool operator==(const GroupTag&) const = default;
};
BOOST_DESCRIBE_STRUCT(GroupTag, (), (key, value, propagate))

// What a client sets of a group, except its sizes. Stored as JSON.
struct GroupSettings {
  // Exactly one of these three is the launch source. Specifications of templates have both id and name.
  std::optional<std::string> launch_configuration;
  std::optional<shapes::autoscaling::LaunchTemplateSpecification> launch_template;
  std::optional<shapes::autoscaling::MixedInstancesPolicy> mixed_instances;
  std::vector<std::string> zones;    // at least one
  std::vector<GroupSubnet> subnets;  // in the order of VPCZoneIdentifier; empty: EC2 chooses the subnet of the zone
  std::int32_t cooldown_s = 300;
  std::int32_t grace_period_s = 0;
  std::optional<std::int32_t> warmup_s;  // DefaultInstanceWarmup
  std::int32_t max_lifetime_s = 0;       // 0: unlimited
  bool protects_new_instances = false;
  std::vector<std::string> termination_policies;  // at least "Default"
  std::vector<shapes::autoscaling::SuspendedProcess> suspended;
  std::vector<std::string> metrics;  // enabled ones
  std::vector<GroupTag> tags;        // by key
  std::string deletion_protection = "none";
  std::string health_check_type = "EC2";  // others check what no instance here has: load balancers, volumes
  // Records without an effect here.
  std::optional<std::string> context, service_linked_role;
  bool operator==(const GroupSettings&) const = default;
};
BOOST_DESCRIBE_STRUCT(GroupSettings, (),
                      (launch_configuration, launch_template, mixed_instances, zones, subnets, cooldown_s,
                       grace_period_s, warmup_s, max_lifetime_s, protects_new_instances, termination_policies,
                       suspended, metrics, tags, deletion_protection, health_check_type, context, service_linked_role))

enum class GroupStatus { Active, Deleting, ForceDeleting };

struct Group {
  std::int64_t number = 0;
  std::string account, region, name, uuid;
  std::int64_t version = 1;  // also changes with each change of one of its instances
  std::int32_t min = 0, max = 0, desired = 0;
  GroupStatus status = GroupStatus::Active;
  GroupSettings settings;
  base::Time created_at;

  // For the activities that the loop starts next: sentences of causes ("At ... .", two spaces between), and the
  // InvokingAlarms of their details, a JSON array. Emptied when an activity carried them.
  std::string cause, invoking_alarms;
  std::int32_t replacements = 0;            // how many of the next launches replace unhealthy instances
  bool protection_reported = false;         // an activity states that all instances are protected
  std::int32_t failed_launches = 0;         // in a row
  std::optional<base::Time> retry_at;       // no launch before this time
  std::optional<base::Time> cooldown_from;  // when the last scaling activity that succeeded ended
  std::optional<base::Time> due_at;         // when the loop looks at the group; it is due in the past or now

  std::string arn() const;
  bool is_suspended(std::string_view process) const;
  // DefaultInstanceWarmup, or else the default cooldown: what policies without a warm-up of their own use.
  base::Duration warmup() const;
};

// The loop that launches and terminates has to look at a group.
inline constexpr std::string_view kGroupsTopic = "autoscaling/groups";
// Woken after an instance of any group has another lifecycle state, and after the end of an activity.
inline constexpr std::string_view kGroupChangesTopic = "autoscaling/changes";

std::vector<std::string> group_migration_steps();
// Those that came after the tables of policies.
std::vector<std::string> instance_weight_steps();

std::optional<Group> load_group(store::Tx& tx, const std::string& account, const std::string& region,
                                const std::string& name);
std::optional<Group> load_group(store::Tx& tx, std::int64_t number);
// Of the caller's account and region; throws ValidationError "AutoScalingGroup name not found - ...".
Group find_group(Call& call, const std::string& name);
// The same for changes that a group which is being deleted does not take.
Group find_active_group(Call& call, const std::string& name);
// By name, after `after`.
std::vector<Group> list_groups(store::Tx& tx, const std::string& account, const std::string& region,
                               const std::string& after, std::int64_t most);
// Due at `now` or before, the oldest first.
std::vector<Group> list_due_groups(store::Tx& tx, base::Time now, std::int64_t most);
std::optional<base::Time> next_due_group(store::Tx& tx);
// Those with enabled metrics, of all accounts.
std::vector<Group> list_measured_groups(store::Tx& tx);

// Sets its number.
void insert_group(store::Tx& tx, Group& group);
// Increments its version. Handlers run one after another, so that it need not check the version; the loop does.
void save_group(store::Tx& tx, Group& group);
// Saves it and has the loop look at it, now.
void save_and_wake(Call& call, Group& group);
// Only increments its version and has the loop look at it: for handlers that run within another one of the same group,
// which has a copy of the row.
void touch_group(Call& call, std::int64_t number);
std::int64_t group_version(store::Tx& tx, std::int64_t number);
// The row alone.
void delete_group_row(store::Tx& tx, const Group& group);

}  // namespace services::autoscaling
