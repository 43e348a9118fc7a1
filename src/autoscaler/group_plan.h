// SPDX-License-Identifier: Apache-2.0
// What an Auto Scaling group does next: a pure function of the group, its instances and the time. A plan is one step;
// after it was applied, the next plan continues.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace autoscaler {

enum class Lifecycle {
  Pending,
  PendingWait,
  PendingProceed,
  InService,
  EnteringStandby,
  Standby,
  Detaching,
  Terminating,
  TerminatingWait,
  TerminatingProceed,
};

// The machine of an instance, as EC2 has it. Stopped: it is stopped, or stops. Gone: it is terminated.
enum class MachineState { Pending, Running, Impaired, Stopped, Gone };

// A lifecycle hook that waits, or has waited, for this instance.
struct HookAction {
  enum class Result { Waiting, Continue, Abandon };
  Result result = Result::Waiting;
  Result default_result = Result::Abandon;  // at its time-out
  base::Time expires_at;
};

struct GroupMember {
  std::string id, zone;
  Lifecycle lifecycle = Lifecycle::Pending;
  MachineState machine = MachineState::Pending;
  bool healthy = true;
  bool is_protected = false;  // from scale-in; counts in service only
  bool skips_hooks = false;
  bool stop_requested = false;      // EC2 terminates it
  bool is_replaced = false;         // somebody requested that another takes its place
  bool is_busy = false;             // tasks run on it
  bool runs_only_daemons = false;   // these are the tasks that run on it
  bool is_balancing = false;        // launched beyond the desired capacity, to balance zones; counts until it is in service
  std::int32_t weight = 1;          // units of capacity
  bool from_configuration = false;  // launched from a launch configuration, not from a template
  bool from_current_source = true;  // from the configuration or template that the group has now
  std::int64_t source_order = 0;    // version of its template, or creation time of its configuration
  std::int64_t type_order = 0;      // position of its type among the group's overrides
  base::Time launched_at;
  std::optional<base::Time> unhealthy_at;  // when an unhealthy instance may be replaced
  std::vector<HookAction> actions;         // of its present transition
};

struct GroupState {
  std::int32_t desired = 0;
  std::vector<std::string> zones;
  std::vector<std::string> termination_policies;
  bool is_deleted = false, skips_hooks = false;  // both: by ForceDelete
  bool may_launch = true, may_terminate = true;  // processes that are not suspended
  bool checks_health = true, replaces_unhealthy = true;
  bool has_launch_hooks = false, has_termination_hooks = false;
  bool balances_zones = false;       // instances move from crowded zones to others
  bool launches_failed = false;      // no launch has succeeded since the last failure
  std::int32_t launch_weight = 1;    // units of capacity of the next instance
  base::Duration max_lifetime{0};      // 0: unlimited
  std::optional<base::Time> retry_at;  // of launches, after failures
  bool protection_reported = false;
  std::vector<GroupMember> members;
};

enum class TerminationReason { ScaleIn, Unhealthy, Replaced, Lifetime, Abandoned, GroupDeleted };

// The instance becomes Terminating.
struct Termination {
  std::string id;
  TerminationReason reason = TerminationReason::ScaleIn;
  bool is_busy = false;
  bool operator==(const Termination&) const = default;
};

struct Change {
  enum class Kind {
    AwaitLaunchHooks,       // Pending -> Pending:Wait
    ProceedLaunch,          // Pending:Wait -> Pending:Proceed
    EnterService,           // -> InService
    FailLaunch,             // its machine is gone before it was in service
    MarkNotRunning,         // unhealthy
    MarkImpaired,           // unhealthy
    EnterStandby,           // EnteringStandby -> Standby
    Detach,                 // leaves the group
    AwaitTerminationHooks,  // Terminating -> Terminating:Wait
    ProceedTermination,     // Terminating:Wait -> Terminating:Proceed
    Stop,                   // EC2 has to terminate it
    Finish,                 // terminated: leaves the group
  };
  std::string id;
  Kind kind = Kind::EnterService;
  bool operator==(const Change&) const = default;
};

struct GroupPlan {
  std::vector<Change> changes;
  std::vector<Termination> terminations;
  std::vector<std::string> launches;  // the zone of each
  std::vector<std::string> balancing_launches;  // the same, beyond the desired capacity; balance_cause says why
  std::string balance_cause;
  std::int32_t capacity = 0;          // units, pending and in service, before launches and scale-in
  bool continues = false;             // the next plan launches or terminates more, for the same reason
  bool reports_protection = false;    // scale-in stops at protected instances: new in this plan
  bool is_protected = false;          // the same, new or not
  bool deletes_group = false;
  std::optional<base::Time> next;  // when time alone changes the plan

  bool is_empty() const {
    return changes.empty() && terminations.empty() && launches.empty() && balancing_launches.empty() &&
           !reports_protection && !deletes_group;
  }
};

// Counts as capacity: pending or in service.
bool is_capacity(Lifecycle lifecycle);
bool is_terminating(Lifecycle lifecycle);

// In a plan at most, so that no transaction takes long; the next plan continues.
inline constexpr std::int32_t kMaxLaunchesPerPlan = 20;
inline constexpr std::size_t kMaxTerminationsPerPlan = 100, kMaxChangesPerPlan = 200;

// Whether one zone has at least two instances more than another, or an instance is in a zone that the group has left.
bool has_uneven_zones(const GroupState& group);

GroupPlan plan_group(const GroupState& group, base::Time now);

// The pause after so many failed launches in a row: short at first, since a machine may have been lost by accident.
inline constexpr base::Duration kFirstLaunchRetry = std::chrono::seconds(2);
inline constexpr base::Duration kLongestLaunchRetry = std::chrono::minutes(5);
base::Duration launch_retry(std::int32_t failures);

}  // namespace autoscaler
