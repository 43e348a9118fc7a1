// SPDX-License-Identifier: Apache-2.0
// What to do for a service now, so that it runs what it declares: a pure function of the service, its tasks, its
// machines and the time. The same input gives the same plan, and a plan that has been carried out leads to an empty
// one.
//
// The bounds are Amazon's: with D tasks desired, at least ceil(D x minimumHealthyPercent / 100) healthy tasks remain,
// and at most floor(D x maximumPercent / 100) tasks run or are about to. Tasks whose desired status is STOPPED count
// for neither. Only our own actions are bound: a task that dies may lead below the minimum.
//
// Placement is not decided here. The caller tries to place what `starts` asks for; what finds no machine it reports in
// `blocked` and reconciles again, and the plan may then stop an old task first, where the minimum allows that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/ids.h"

namespace scheduler {

// A task without a container health check counts as healthy while it is RUNNING.
enum class TaskHealth { NotChecked, Unknown, Healthy, Unhealthy };

// A task as the load balancers see it that it is registered with: the worst of its targets. None: it is registered with
// none. A task with targets is healthy only when they are, and unhealthy targets are a reason to replace it.
enum class TargetHealth { None, Initial, Healthy, Unhealthy };

// A task of the service that has not STOPPED.
struct ServiceTask {
  model::TaskId id;
  std::int64_t deployment = 0;  // ServiceDeployment::number
  model::InstanceId machine = {};
  std::string zone = {};
  bool running = false;   // its last status is RUNNING
  bool stopping = false;  // its desired status is STOPPED
  TaskHealth health = TaskHealth::NotChecked;
  TargetHealth targets = TargetHealth::None;
  bool leaving = false;  // its machine is DRAINING
  base::Time created_at = {};
  std::optional<base::Time> started_at = {};
  std::optional<base::Time> protected_until = {};
  bool waiting = false;  // for capacity: it has no machine yet
};

struct ServiceDeployment {
  std::int64_t number = 0;                 // grows with time
  bool primary = false;                    // exactly one is
  bool completed = false, failed = false;  // neither: its rollout is in progress
  std::int32_t failed_tasks = 0;           // in a row
  std::int32_t earlier_failures = 0;       // before those, where ServiceRules::breaker_sums
  std::optional<base::Time> last_failure = {};
  base::Time created_at = {};
  // An alarm of the deployment is in ALARM.
  bool alarmed = false;
  // INACTIVE, and the last one that was completed: it returns where the PRIMARY one fails and no other keeps up the
  // minimum.
  bool retired = false;
  // The versions of its images are to be fixed by its first task, which none has done yet.
  bool resolving = false;
};

// A registered machine of a daemon's cluster. A task on a machine that is neither suitable nor excluded is left alone:
// an agent that is disconnected for a moment must not cost a task.
struct DaemonMachine {
  model::InstanceId id;
  bool suitable = false;     // ACTIVE, connected, healthy, and meets the constraints, whatever is free on it
  bool leaving = false;      // DRAINING
  bool other_tasks = false;  // tasks that are not a daemon's run there
  bool excluded = false;     // it does not meet the constraints: tasks there are stopped
};

// How many failures open the circuit breaker: Amazon's kinds and defaults.
struct FailureThreshold {
  enum class Kind { BoundedPercent, UnboundedPercent, Count };
  Kind kind = Kind::BoundedPercent;  // of the desired tasks, 3 to 200
  std::int32_t value = 50;
};

struct ServiceRules {
  bool daemon = false;
  std::int32_t desired = 0;
  std::int32_t minimum_percent = 100, maximum_percent = 200;
  base::Duration grace = {};  // after a task's start, in which its health does not matter
  bool breaker = false, breaker_rollback = false;
  bool breaker_sums = false;  // a healthy task does not end its count
  FailureThreshold breaker_at = {};
  bool alarm_rollback = false;
  base::Duration bake = {};  // alarms are watched for so long after all tasks run
  bool rebalance_zones = false;
};

struct ServiceView {
  ServiceRules rules = {};
  std::vector<ServiceDeployment> deployments = {};  // the PRIMARY one first, then from new to old, a retired one last
  std::vector<ServiceTask> tasks = {};
  std::vector<DaemonMachine> machines = {};  // of a daemon: all of its cluster; tasks elsewhere are stopped
  std::vector<std::string> zones = {};       // of machines that accept tasks, sorted; for rebalancing
  std::int32_t blocked = 0;                  // tasks of the PRIMARY deployment that found no machine
  bool can_roll_back = false;                // there is a COMPLETED deployment to return to
};

enum class StopCause {
  ScaleIn,  // more tasks than desired, or of a deployment that is replaced
  Pending,  // the same, before it was RUNNING
  Unhealthy,
  Draining,     // its machine
  Rebalancing,  // of zones
  Unsuitable,   // a daemon's machine no longer meets the constraints
};

struct ServiceStart {
  std::int64_t deployment = 0;
  std::int32_t count = 0;
  std::optional<model::InstanceId> machine = {};  // of a daemon
  std::optional<std::string> zone = {};           // of a rebalancing
  std::int32_t replaced_unhealthy = 0;  // so many of them replace unhealthy tasks, which are stopped once they run
};

struct ServiceStop {
  model::TaskId task;
  StopCause cause = StopCause::ScaleIn;
};

enum class Verdict { None, Completed, BreakerFailed, AlarmFailed };

struct ServicePlan {
  std::vector<ServiceStart> starts = {};
  std::vector<ServiceStop> stops = {};
  std::optional<std::int32_t> desired = {};  // of a daemon, where it changes
  std::vector<std::int64_t> retired = {};    // ACTIVE deployments without a task: INACTIVE from now on
  Verdict verdict = Verdict::None;           // of the PRIMARY deployment
  bool roll_back = false;                    // with a Failed verdict
  bool healthy_again = false;                // the PRIMARY deployment's failures in a row are over
  bool steady = false;                       // desired tasks run, healthy, of one deployment
  bool throttled = false;                    // failing tasks delay further starts until `next`
  bool stuck = false;                        // the bounds allow neither a start nor a stop
  std::int32_t protected_tasks = 0;          // that keep the service from being scaled in
  // When time alone changes the plan: a back-off or a protection ends, a task has proved itself, bake time is over.
  std::optional<base::Time> next = {};
};

// A task that runs for this long, and is healthy, has not failed to start. A deployment is completed no earlier.
inline constexpr base::Duration kProvenAfter = std::chrono::seconds(5);
// Amazon's: the third failure in a row starts the back-off, which ends at 27 minutes.
inline constexpr std::int32_t kBackOffAfter = 3;
inline constexpr base::Duration kFirstBackOff = std::chrono::seconds(10), kLongestBackOff = std::chrono::minutes(27);

// Amazon's: after so many tasks that failed before the versions of its images were known, a deployment continues
// without them, or fails if it has a circuit breaker.
inline constexpr std::int32_t kResolveAttempts = 3;

// Whether the deployment has to wait for its first task.
bool waits_for_first_task(const ServiceDeployment& deployment);
// Failures at which the circuit breaker opens.
std::int32_t breaker_threshold(std::int32_t desired, const FailureThreshold& threshold = {});
// When the next start is allowed; nullopt: at once.
std::optional<base::Time> back_off_ends(const ServiceDeployment& deployment);

ServicePlan reconcile(const ServiceView& view, base::Time now);

}  // namespace scheduler
