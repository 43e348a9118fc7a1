// SPDX-License-Identifier: Apache-2.0
// An instance refresh: which instances of a group are replaced now, and how far it is. A pure function.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace autoscaler {

// Amazon's.
inline constexpr base::Duration kLongestRefresh = std::chrono::hours(24 * 14);
// How long a refresh waits for protected instances, for those in standby, and for launches that fail.
inline constexpr base::Duration kLongestObstacle = std::chrono::hours(1);

struct RefreshMember {
  enum class Place { Pending, InService, Standby, Leaving };

  std::string id;
  Place place = Place::InService;
  bool is_new = false;  // it has the configuration that the refresh introduces
  bool healthy = true;
  bool is_protected = false;
  std::optional<base::Time> warm_at = {};  // the end of its warm-up, where it is in service
};

// What happens to protected instances and to those in standby.
enum class Obstacle { Replace, Ignore, Wait };

struct RefreshTerms {
  int min_healthy = 90, max_healthy = 100;  // percentages of the desired capacity
  std::vector<int> checkpoints = {};        // percentages, ascending
  base::Duration checkpoint_delay = std::chrono::hours(1);
  base::Duration bake = {};
  Obstacle protected_instances = Obstacle::Wait, standby_instances = Obstacle::Wait;
};

struct RefreshState {
  int desired = 0;
  RefreshTerms terms = {};
  std::vector<RefreshMember> members = {};  // in the order in which they are replaced
  bool suspended = false;                   // the process InstanceRefresh
  bool launches_fail = false;
  bool cancelling = false;
  base::Time started_at;
  int checkpoints_reached = 0;
  std::optional<base::Time> paused_until = {};   // after a checkpoint
  std::optional<base::Time> blocked_since = {};  // an obstacle lasts
  std::optional<base::Time> bake_until = {};
};

enum class RefreshStep { Continue, Checkpoint, Bake, Succeed, Fail, Cancel };

struct RefreshPlan {
  RefreshStep step = RefreshStep::Continue;
  std::vector<std::string> replace = {};
  int surge = 0;  // how many instances the group may have beyond its desired capacity
  int percent = 0, to_update = 0;
  bool blocked = false;
  std::string reason = {};                 // in Amazon's words where they are known
  std::optional<base::Time> next = {};     // when time alone changes the plan
};

RefreshPlan plan_refresh(const RefreshState& refresh, base::Time now);

}  // namespace autoscaler
