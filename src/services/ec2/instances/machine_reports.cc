// SPDX-License-Identifier: Apache-2.0
// What providers and agents report about the machines of instances. A report that comes late or twice changes nothing.
#include "services/ec2/instances/instance_body.h"
#include "services/ec2/instances/state_changes.h"
#include "services/ec2/operations.h"
#include "shapes/stoker/machine.h"
#include "wire/error.h"

namespace services::ec2 {
namespace {

using shapes::stoker::MachineJoined;
using shapes::stoker::ReportMachine;
using state::Ec2Instance;
using state::Ec2State;

bool may_have_machine(Ec2State state) { return state != Ec2State::Terminated && state != Ec2State::Stopped; }

StateChange server_error(Ec2State to, const std::string& reason) {
  return {.to = to,
          .reason_code = "Server.InternalError",
          .reason = "Server.InternalError: " + reason,
          .transition = "Server.InternalError",
          .failure = reason};
}

void start_running(Call& call, Ec2Instance& instance) {
  InstanceBody body = body_of(instance);
  body.launched = true;
  change_state(call, instance, body, {.to = Ec2State::Running});
}

// The machine is gone, as the state requires. The reason that the request left stays.
void finish_stop(Call& call, Ec2Instance& instance) {
  InstanceBody body = body_of(instance);
  instance.machine_json.clear();
  instance.joined_at.reset();
  const bool restart = instance.state == Ec2State::Stopping && body.rebooting;
  body.rebooting = false;
  StateChange change{.to = instance.state == Ec2State::ShuttingDown ? Ec2State::Terminated : Ec2State::Stopped};
  if (restart) {
    change.to = Ec2State::Pending;
  } else {
    const auto reason = body.shape.StateReason.value_or(shapes::ec2::StateReason());
    change.reason_code = reason.Code.value_or("");
    change.reason = reason.Message.value_or("");
    change.transition = body.shape.StateTransitionReason.value_or("");
  }
  change_state(call, instance, body, change);
}

// It could not start, or ended without a request.
void fail_machine(Call& call, Ec2Instance& instance, const ReportMachine& report) {
  if (instance.state == Ec2State::ShuttingDown || instance.state == Ec2State::Stopping) {
    finish_stop(call, instance);
    return;
  }
  InstanceBody body = body_of(instance);
  instance.machine_json.clear();
  instance.joined_at.reset();
  const bool terminates = report.event == "failed" ? !body.launched : body.terminates_on_shutdown;
  const std::string reason = report.reason.empty() ? "The machine is gone." : report.reason;
  change_state(call, instance, body, server_error(terminates ? Ec2State::Terminated : Ec2State::Stopped, reason));
}

void keep_machine(Call& call, Ec2Instance& instance, const std::string& machine) {
  if (machine.empty() || machine == instance.machine_json) return;
  instance.machine_json = machine;
  update_ec2_instance(call.tx, instance);
}

void report_machine(Call& call, const ReportMachine& report) {
  auto instance = state::find_ec2_instance(call.tx, report.instanceId);
  if (!instance || !may_have_machine(instance->state)) return;
  const bool stopping = instance->state == Ec2State::ShuttingDown || instance->state == Ec2State::Stopping;
  if (report.event == "starting") {
    keep_machine(call, *instance, report.machine);
  } else if (report.event == "started") {
    // Also for an instance that is to stop meanwhile: its provider then knows what to stop.
    keep_machine(call, *instance, report.machine);
    if (instance->state == Ec2State::Pending) start_running(call, *instance);
  } else if (report.event == "stopped") {
    if (stopping) finish_stop(call, *instance);
  } else if (report.event == "failed") {
    if (instance->state != Ec2State::Running) fail_machine(call, *instance, report);
  } else if (report.event == "lost") {
    fail_machine(call, *instance, report);
  } else {
    throw wire::ApiError("InvalidParameterValue", "Invalid event of a machine: " + report.event);
  }
}

void machine_joined(Call& call, const MachineJoined& message) {
  auto instance = state::find_ec2_instance(call.tx, message.instanceId);
  if (!instance || instance->joined_at || !may_have_machine(instance->state)) return;
  instance->joined_at = call.now;
  if (instance->state == Ec2State::Pending) {
    start_running(call, *instance);  // its agent came before its provider's report
  } else {
    update_ec2_instance(call.tx, *instance);
    notify_group(call, *instance, "");
  }
}

}  // namespace

std::vector<Operation> machine_operations() {
  return {operation<&report_machine>("ReportMachine", Access::Write),
          operation<&machine_joined>("MachineJoined", Access::Write)};
}

}  // namespace services::ec2
