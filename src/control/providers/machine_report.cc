// SPDX-License-Identifier: Apache-2.0
#include "control/providers/machine_report.h"

#include "services/invoke.h"
#include "shapes/stoker/machine.h"

namespace control::providers {
namespace {

using state::Ec2State;

constexpr const char* kPrincipal = "providers.stoker";
// A stopped instance that starts again gets a new machine.
constexpr const char* kNoMachine = "{}";

void delete_machine_key(services::Call& call, const Machine& machine) {
  if (machine.record.key.empty()) return;
  for (const std::string& id : state::delete_key(call.tx, machine.record.key)) call.wake(state::key_topic(id));
}

bool is_wanted(const std::optional<state::Ec2Instance>& instance) {
  return instance && (instance->state == Ec2State::Pending || instance->state == Ec2State::Running);
}

bool is_leaving(const std::optional<state::Ec2Instance>& instance) {
  return instance && (instance->state == Ec2State::ShuttingDown || instance->state == Ec2State::Stopping);
}

}  // namespace

void report(services::Call& call, const Machine& machine, const Report& report) {
  services::Caller principal = services::as_service(call, kPrincipal, "", machine.instance.account);
  principal.region = machine.instance.region;
  const shapes::stoker::ReportMachine message{
      .instanceId = machine.instance.id, .event = report.event, .machine = report.machine, .reason = report.reason};
  services::invoke(call, principal, "ec2", "ReportMachine", message);
}

void report_failure(services::Call& call, const Machine& machine, const std::string& reason) {
  const auto instance = state::find_ec2_instance(call.tx, machine.instance.id);
  if (!is_wanted(instance)) return;
  const bool never_ran = instance->state == Ec2State::Pending;
  report(call, machine, {.event = never_ran ? "failed" : "lost", .machine = kNoMachine, .reason = reason});
}

void report_start(services::Call& call, const Machine& machine, const base::Result<Started>& started) {
  const auto instance = state::find_ec2_instance(call.tx, machine.instance.id);
  if (!started) {
    delete_machine_key(call, machine);
    report_failure(call, machine, started.error());
    return;
  }
  const std::string record = write_record(machine.record);
  // One that leaves needs its identity as well: it is about to be stopped.
  if (is_wanted(instance) || is_leaving(instance)) {
    const bool runs = started->running && is_wanted(instance);
    report(call, machine, {.event = runs ? "started" : "starting", .machine = record});
  }
}

void report_running(services::Call& call, const Machine& machine) {
  const auto instance = state::find_ec2_instance(call.tx, machine.instance.id);
  if (instance && instance->state == Ec2State::Pending) report(call, machine, {.event = "started"});
}

void report_stopped(services::Call& call, const Machine& machine) {
  delete_machine_key(call, machine);
  if (!is_leaving(state::find_ec2_instance(call.tx, machine.instance.id))) return;
  report(call, machine, {.event = "stopped", .machine = kNoMachine});
}

void report_end(services::Call& call, const Machine& machine, const std::string& reason) {
  const auto instance = state::find_ec2_instance(call.tx, machine.instance.id);
  delete_machine_key(call, machine);
  if (is_leaving(instance)) {
    report(call, machine, {.event = "stopped", .machine = kNoMachine});
  } else {
    report_failure(call, machine, reason);
  }
}

}  // namespace control::providers
