// SPDX-License-Identifier: Apache-2.0
// Instance refreshes in the database.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "services/autoscaling/groups/group.h"
#include "services/call.h"
#include "shapes/autoscaling/refresh.h"
#include "store/store.h"

namespace services::autoscaling {

// What a group launches from.
struct GroupSource {
  std::optional<std::string> launch_configuration;
  std::optional<shapes::autoscaling::LaunchTemplateSpecification> launch_template;
  std::optional<shapes::autoscaling::MixedInstancesPolicy> mixed_instances;
  bool operator==(const GroupSource&) const = default;
};
BOOST_DESCRIBE_STRUCT(GroupSource, (), (launch_configuration, launch_template, mixed_instances))

// All of a refresh but its status and its times. Stored as JSON.
struct RefreshRecord {
  shapes::autoscaling::RefreshPreferences preferences;  // with all defaults
  std::optional<shapes::autoscaling::DesiredConfiguration> desired;
  GroupSource before;                // of the group, before the desired configuration
  std::vector<std::string> skipped;  // instances that match already
  std::int32_t percent = 0, to_update = 0;
  std::int32_t surge = 0;  // instances beyond the desired capacity, so that a new one is healthy before an old one goes
  std::string reason;
  std::int32_t checkpoints_reached = 0;
  std::optional<base::Time> paused_until, blocked_since, bake_until;
  std::optional<shapes::autoscaling::RollbackDetails> rollback;
};
BOOST_DESCRIBE_STRUCT(RefreshRecord, (), (preferences, desired, before, skipped, percent, to_update, surge,
    reason, checkpoints_reached, paused_until, blocked_since, bake_until, rollback))

struct RefreshRow {
  std::int64_t number = 0;
  std::int64_t group = 0;
  std::string uuid;
  std::string status;  // Amazon's: "InProgress"
  base::Time started_at;
  std::optional<base::Time> ended_at;
  RefreshRecord record;

  bool is_rollback() const { return record.rollback.has_value(); }
};

std::optional<RefreshRow> load_refresh(store::Tx& tx, std::int64_t number);
// The one that has not ended.
std::optional<RefreshRow> active_refresh(store::Tx& tx, std::int64_t group);
std::vector<RefreshRow> list_active_refreshes(store::Tx& tx);
// Of a group, the newest first, before a number (0: from the newest), started at `since` or later.
std::vector<RefreshRow> list_refreshes(store::Tx& tx, std::int64_t group, std::int64_t before, base::Time since);

// Sets its number where that is 0.
void save_refresh(store::Tx& tx, RefreshRow& refresh);
void delete_refreshes(store::Tx& tx, std::int64_t group);
void delete_old_refreshes(store::Tx& tx, std::int64_t group, base::Time before);

GroupSource source_of(const Group& group);
void set_source(Group& group, const GroupSource& source);

}  // namespace services::autoscaling
