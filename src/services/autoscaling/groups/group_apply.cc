// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/groups/group_apply.h"

#include "services/autoscaling/groups/activity.h"
#include "services/autoscaling/groups/group_deletion.h"
#include "services/autoscaling/groups/group_events.h"
#include "services/autoscaling/groups/group_instances.h"
#include "services/autoscaling/groups/held_messages.h"
#include "services/autoscaling/groups/hooks.h"
#include "services/autoscaling/groups/launches.h"
#include "services/autoscaling/groups/terminations.h"
#include "services/invoke.h"
#include "services/shape_json.h"
#include "shapes/ec2/instance.h"
#include "shapes/ec2/tag.h"
#include "shapes/stoker/machine.h"
#include "state/ec2_instance.h"

namespace services::autoscaling {
namespace {

using autoscaler::Change;
using autoscaler::GroupPlan;
using autoscaler::Termination;
using autoscaler::TerminationReason;
using Kind = Change::Kind;

constexpr char kNotRunning[] = "an EC2 health check indicating it has been terminated or stopped";
constexpr char kImpaired[] = "an EC2 instance status check failure";
const std::string kLaunchedToBalance = "instances were launched to balance instances in zones ";
constexpr char kTakenOut[] = "an instance was taken out of service in response to ";
constexpr char kProtectedMessage[] =
    "Could not scale to desired capacity because all remaining instances are protected from scale-in.";
// A pause before EC2 is requested again to terminate an instance, after it refused.
constexpr base::Duration kStopRetry = std::chrono::minutes(1);

// Why EC2's status check fails: the machine runs, and its agent is absent.
std::string agent_message(Call& call, const std::string& id) {
  const auto machine = state::find_ec2_instance(call.tx, id);
  if (!machine) return "";
  if (machine->joined_at) return "The ECS agent of the instance lost its connection.";
  const auto settings = machine->agent_json.empty() ? shapes::stoker::AgentSettings()
                                                    : from_json<shapes::stoker::AgentSettings>(machine->agent_json);
  return "The ECS agent of the instance never joined the cluster " + settings.cluster + ".";
}

class PlanApplier {
 public:
  PlanApplier(Call& call, Group& group, const GroupPlan& plan) : call_(call), group_(group), plan_(plan) {}

  void apply() {
    next_ = plan_.next;
    for (const Change& change : plan_.changes) apply_change(change);
    for (const Termination& one : plan_.terminations) terminate(one);
    if (plan_.reports_protection) report_protection();
    group_.protection_reported = plan_.is_protected;
    const bool uses_cause = !plan_.launches.empty() || !plan_.terminations.empty();
    launch_planned(call_, group_, plan_);
    // A change that was taken back before the loop looked is no cause of what happens later.
    const bool settled = plan_.is_empty() && plan_.capacity == group_.desired;
    if ((uses_cause && !plan_.continues) || settled) {
      group_.cause.clear();
      group_.invoking_alarms.clear();
    }
    // Replaced instances whose place is not to be filled: the desired capacity has changed meanwhile.
    if (plan_.launches.empty() && plan_.capacity >= group_.desired) group_.replacements = 0;
    if (!plan_.is_empty()) next_ = call_.now;
  }

  // EC2 is called again after a pause. All other work continues at once.
  std::optional<base::Time> next() const {
    const std::size_t done = plan_.changes.size() + plan_.terminations.size() + plan_.launches.size();
    return refused_stops_ > 0 && refused_stops_ == done ? call_.now + kStopRetry : next_;
  }

 private:
  void set_lifecycle(GroupInstance& instance, Lifecycle to) {
    instance.lifecycle = to;
    update_group_instance(call_.tx, instance);
    call_.wake(std::string(kGroupChangesTopic));
  }

  void set_progress(const GroupInstance& instance, const std::string& status, std::int32_t progress) {
    auto activity = find_running_activity(call_.tx, group_.number, instance.id);
    if (!activity) return;
    activity->status = status;
    activity->progress = progress;
    update_activity(call_, *activity);
  }

  void succeed(const GroupInstance& instance) {
    if (auto activity = find_running_activity(call_.tx, group_.number, instance.id)) {
      end_activity(call_, group_, *activity, "Successful");
    }
  }

  void apply_change(const Change& change) {
    auto found = find_group_instance(call_.tx, change.id);
    if (!found || found->group != group_.number) return;
    GroupInstance& instance = *found;
    switch (change.kind) {
      case Kind::AwaitLaunchHooks: return await_hooks(instance, Lifecycle::PendingWait, kLaunching);
      case Kind::AwaitTerminationHooks: return await_hooks(instance, Lifecycle::TerminatingWait, kTerminating);
      case Kind::ProceedLaunch: return proceed(instance, Lifecycle::PendingProceed);
      case Kind::ProceedTermination: return proceed(instance, Lifecycle::TerminatingProceed);
      case Kind::EnterService: return enter_service(instance);
      case Kind::FailLaunch: return fail_launched(call_, group_, instance);
      case Kind::MarkNotRunning: return mark_unhealthy(instance, kNotRunning);
      case Kind::MarkImpaired: return mark_unhealthy(instance, kImpaired);
      case Kind::EnterStandby: succeed(instance); return set_lifecycle(instance, Lifecycle::Standby);
      case Kind::Detach: return detach(instance);
      case Kind::Stop: return stop(instance);
      case Kind::Finish: return finish(instance);
    }
  }

  void await_hooks(GroupInstance& instance, Lifecycle to, std::string_view transition) {
    set_progress(instance, "MidLifecycleAction", transition == kLaunching ? 30 : 60);
    set_lifecycle(instance, to);
    start_hook_actions(call_, group_, instance, transition);
  }

  void proceed(GroupInstance& instance, Lifecycle to) {
    set_progress(instance, "InProgress", 50);
    delete_hook_actions(call_.tx, group_.number, instance.id);
    set_lifecycle(instance, to);
  }

  void enter_service(GroupInstance& instance) {
    instance.in_service_at = call_.now;
    instance.skips_hooks = false;
    group_.failed_launches = 0;
    group_.retry_at.reset();
    group_.cooldown_from = call_.now;
    if (instance.is_balancing) explain_surplus(instance);
    instance.is_balancing = false;
    succeed(instance);
    set_lifecycle(instance, Lifecycle::InService);
  }

  // The group now has more than it desires: the cause of the termination that follows. Amazon's, as recorded.
  void explain_surplus(const GroupInstance& instance) {
    if (group_.cause.find(kLaunchedToBalance) != group_.cause.npos) return;
    group_.cause = join_causes(
        group_.cause, cause_sentence(call_.now, kLaunchedToBalance + instance.zone +
                                                    " with other zones resulting in more than desired number of "
                                                    "instances in the group"));
  }

  void mark_unhealthy(GroupInstance& instance, const std::string& reason) {
    instance.healthy = false;
    instance.unhealthy_reason = reason;
    instance.unhealthy_at.reset();
    set_lifecycle(instance, instance.lifecycle);
  }

  void detach(GroupInstance& instance) {
    shapes::ec2::DeleteTagsRequest tags;
    tags.Resources = {instance.id};
    tags.Tags = {{{.Key = "aws:autoscaling:groupName"}}};
    leave(instance);
    try {
      invoke(call_, group_principal(call_, group_), "ec2", "DeleteTags", tags);
    } catch (const wire::ApiError&) {
      // It is terminated and forgotten: there is no tag to remove.
    }
  }

  void stop(GroupInstance& instance) {
    instance.stop_requested = true;
    update_group_instance(call_.tx, instance);
    shapes::ec2::TerminateInstancesRequest request;
    request.InstanceIds = {instance.id};
    try {
      invoke<shapes::ec2::TerminateInstancesResult>(call_, group_principal(call_, group_), "ec2", "TerminateInstances",
                                                    request);
    } catch (const wire::ApiError& error) {
      refuse_stop(instance, error.message());
    }
  }

  // EC2 protects it from termination, for example: it is tried again.
  void refuse_stop(GroupInstance& instance, const std::string& message) {
    instance.stop_requested = false;
    update_group_instance(call_.tx, instance);
    ++refused_stops_;
    auto activity = find_running_activity(call_.tx, group_.number, instance.id);
    if (!activity) return;
    activity->status_message = message.substr(0, 255);
    update_activity(call_, *activity);
  }

  void finish(GroupInstance& instance) {
    group_.cooldown_from = call_.now;
    leave(instance);
  }

  void leave(const GroupInstance& instance) {
    succeed(instance);
    delete_hook_actions(call_.tx, group_.number, instance.id);
    delete_group_instance(call_.tx, instance.id);
    call_.wake(std::string(kGroupChangesTopic));
  }

  void terminate(const Termination& one) {
    auto instance = find_group_instance(call_.tx, one.id);
    if (!instance || instance->group != group_.number) return;
    const bool is_replaced = one.reason != TerminationReason::ScaleIn && one.reason != TerminationReason::GroupDeleted;
    if (is_replaced && autoscaler::is_capacity(instance->lifecycle)) ++group_.replacements;
    TerminationNote note;
    for (const std::string& sentence : causes_of(one, *instance)) {
      note.cause = join_causes(note.cause, cause_sentence(call_.now, sentence));
    }
    if (!is_replaced) note.cause = join_causes(group_.cause, note.cause);
    note.message = message_of(one, *instance);
    begin_termination(call_, group_, *instance, note);
  }

  std::string message_of(const Termination& one, const GroupInstance& instance) {
    if (one.is_busy) return describe_work(call_, group_, one.id);
    if (one.reason != TerminationReason::Unhealthy) return "";
    return instance.unhealthy_reason == kImpaired ? agent_message(call_, one.id) : instance.machine_reason;
  }

  std::vector<std::string> causes_of(const Termination& one, const GroupInstance& instance) const {
    const std::string selected = "instance " + one.id + " was selected for termination";
    switch (one.reason) {
      case TerminationReason::ScaleIn:
      case TerminationReason::GroupDeleted:
        return {kTakenOut + ("a difference between desired and actual capacity, shrinking the capacity from " +
                             std::to_string(plan_.capacity) + " to " + std::to_string(group_.desired)),
                selected};
      case TerminationReason::Unhealthy:
        return {kTakenOut + (instance.unhealthy_reason.empty() ? kNotRunning : instance.unhealthy_reason)};
      case TerminationReason::Replaced: return {instance.replace_cause, selected};
      case TerminationReason::Lifetime: return {std::string(kTakenOut) + "its maximum instance lifetime", selected};
      case TerminationReason::Abandoned: break;
    }
    return {std::string(kTakenOut) + "a launch failure"};
  }

  void report_protection() {
    Activity activity;
    activity.kind = ActivityKind::Note;
    activity.description = kProtectedMessage;
    activity.cause = join_causes(group_.cause, cause_sentence(call_.now, "all remaining instances are protected"));
    insert_activity(call_, group_, activity);
    end_activity(call_, group_, activity, "Cancelled");
  }

  Call& call_;
  Group& group_;
  const GroupPlan& plan_;
  std::optional<base::Time> next_;
  std::size_t refused_stops_ = 0;
};

}  // namespace

void apply_plan(Call& call, Group group, const GroupPlan& plan) {
  if (plan.deletes_group) return delete_group(call, group);
  PlanApplier applier(call, group, plan);
  applier.apply();
  group.due_at = applier.next();
  // An operation that this plan invoked may have changed the group in turn: it is due at once.
  if (group_version(call.tx, group.number) != group.version) group.due_at = call.now;
  save_group(call.tx, group);
  call.wake(std::string(kGroupsTopic));
}

}  // namespace services::autoscaling
