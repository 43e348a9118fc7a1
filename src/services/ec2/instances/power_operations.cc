// SPDX-License-Identifier: Apache-2.0
// Terminating, stopping, starting and rebooting instances. The provider does the work and reports it.
#include "services/ec2/errors.h"
#include "services/ec2/instances/instance_body.h"
#include "services/ec2/instances/state_changes.h"
#include "services/ec2/operations.h"

namespace services::ec2 {
namespace {

using namespace shapes::ec2;
using state::Ec2State;
using wire::ApiError;

constexpr std::size_t kMaxIds = 1000;

// Without duplicates, in the order of the request.
std::vector<state::Ec2Instance> read_ids(Call& call, const std::vector<std::string>& ids) {
  if (ids.empty()) throw missing_parameter("InstanceId");
  if (ids.size() > kMaxIds) throw invalid_value("A request may name at most 1000 instances.");
  std::vector<std::string> once;
  for (const std::string& id : ids) {
    if (std::find(once.begin(), once.end(), id) == once.end()) once.push_back(id);
  }
  return get_instances(call, once);
}

ApiError incorrect_state(const std::string& id, std::string_view action) {
  return ApiError("IncorrectInstanceState",
                  "The instance '" + id + "' is not in a state from which it can be " + std::string(action) + ".");
}

InstanceStateChange shown_change(const state::Ec2Instance& instance, Ec2State previous) {
  return {instance.id, shown_state(instance.state), shown_state(previous)};
}

bool is_terminating(Ec2State state) { return state == Ec2State::ShuttingDown || state == Ec2State::Terminated; }

void check_termination_protection(const state::Ec2Instance& instance) {
  if (is_terminating(instance.state) || !body_of(instance).termination_protected) return;
  throw ApiError("OperationNotPermitted", "The instance '" + instance.id +
                                              "' may not be terminated. Modify its 'disableApiTermination' instance "
                                              "attribute and try again.");
}

TerminateInstancesResult terminate_instances(Call& call, const TerminateInstancesRequest& request) {
  reject_members(request, {"SkipOsShutdown"});
  auto instances = read_ids(call, request.InstanceIds);
  for (const auto& instance : instances) check_termination_protection(instance);
  check_dry_run(request.DryRun);
  TerminateInstancesResult result;
  result.TerminatingInstances.emplace();
  for (const auto& one : instances) {
    // Read again: Auto Scaling, notified of the one before, may have changed this one.
    auto instance = get_instance(call, one.id);
    const Ec2State previous = instance.state;
    if (!is_terminating(previous)) {
      InstanceBody body = body_of(instance);
      change_state(call, instance, body, user_initiated(Ec2State::ShuttingDown, call.now));
    }
    result.TerminatingInstances->push_back(shown_change(instance, previous));
  }
  return result;
}

void check_may_stop(const state::Ec2Instance& instance) {
  if (instance.state == Ec2State::Stopping || instance.state == Ec2State::Stopped) return;
  if (instance.state != Ec2State::Running) throw incorrect_state(instance.id, "stopped");
  if (!body_of(instance).stop_protected) return;
  throw ApiError("OperationNotPermitted", "The instance '" + instance.id +
                                              "' may not be stopped. Modify its 'disableApiStop' instance attribute "
                                              "and try again.");
}

StopInstancesResult stop_instances(Call& call, const StopInstancesRequest& request) {
  reject_members(request, {"SkipOsShutdown"});
  if (request.Hibernate.value_or(false)) throw unsupported_parameter("Hibernate");
  auto instances = read_ids(call, request.InstanceIds);
  for (const auto& instance : instances) check_may_stop(instance);
  check_dry_run(request.DryRun);
  StopInstancesResult result;
  result.StoppingInstances.emplace();
  for (const auto& one : instances) {
    auto instance = get_instance(call, one.id);
    const Ec2State previous = instance.state;
    InstanceBody body = body_of(instance);
    if (previous == Ec2State::Running) {
      change_state(call, instance, body, user_initiated(Ec2State::Stopping, call.now));
    } else if (body.rebooting) {
      body.rebooting = false;  // it was to start again
      set_body(instance, body);
      update_ec2_instance(call.tx, instance);
    }
    result.StoppingInstances->push_back(shown_change(instance, previous));
  }
  return result;
}

StartInstancesResult start_instances(Call& call, const StartInstancesRequest& request) {
  reject_members(request, {"AdditionalInfo"});
  auto instances = read_ids(call, request.InstanceIds);
  for (const auto& instance : instances) {
    if (instance.state == Ec2State::Stopping || is_terminating(instance.state)) {
      throw incorrect_state(instance.id, "started");
    }
  }
  check_dry_run(request.DryRun);
  StartInstancesResult result;
  result.StartingInstances.emplace();
  for (auto& instance : instances) {
    const Ec2State previous = instance.state;
    if (previous == Ec2State::Stopped) {
      InstanceBody body = body_of(instance);
      instance.launched_at = call.now;
      change_state(call, instance, body, {.to = Ec2State::Pending});
    }
    result.StartingInstances->push_back(shown_change(instance, previous));
  }
  return result;
}

// The machine stops, and another one starts: providers have no reboot.
void reboot_instances(Call& call, const RebootInstancesRequest& request) {
  auto instances = read_ids(call, request.InstanceIds);
  for (const auto& instance : instances) {
    if (instance.state != Ec2State::Running && instance.state != Ec2State::Pending) {
      throw incorrect_state(instance.id, "rebooted");
    }
  }
  check_dry_run(request.DryRun);
  for (auto& instance : instances) {
    if (instance.state != Ec2State::Running) continue;
    InstanceBody body = body_of(instance);
    body.rebooting = true;
    change_state(call, instance, body, {.to = Ec2State::Stopping});
  }
}

}  // namespace

std::vector<Operation> instance_power_operations() {
  return {operation<&terminate_instances>("TerminateInstances", Access::Write),
          operation<&stop_instances>("StopInstances", Access::Write),
          operation<&start_instances>("StartInstances", Access::Write),
          operation<&reboot_instances>("RebootInstances", Access::Write)};
}

}  // namespace services::ec2
