// SPDX-License-Identifier: Apache-2.0
#include "services/ec2/instances/state_changes.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "services/directory.h"
#include "services/ec2/resource_tags.h"
#include "services/invoke.h"
#include "shapes/events/event.h"
#include "shapes/events/rule.h"
#include "shapes/stoker/machine.h"
#include "wire/timestamp.h"

namespace services::ec2 {
namespace {

using shapes::events::ListRulesRequest;
using shapes::events::ListRulesResponse;
using shapes::events::PutEventsRequest;
using shapes::events::PutEventsResponse;
using state::Ec2State;

constexpr std::string_view kOneRule = "ListOneEnabledRule";

// EC2 itself, for the account of the instance: reports come from callers without one.
Caller as_ec2(const Call& call, const state::Ec2Instance& instance) {
  Caller principal = as_service(call, "ec2.amazonaws.com", instance_arn(instance), instance.account);
  principal.region = instance.region;
  return principal;
}

bool is_work_of_a_provider(Ec2State state) {
  return state == Ec2State::Pending || state == Ec2State::ShuttingDown || state == Ec2State::Stopping;
}

// "2026-11-18 09:00:00 GMT" of "2026-11-18T09:00:00.000Z"
std::string shown_time(base::Time time) {
  std::string text = wire::to_iso8601(time, true).substr(0, 19);
  text[10] = ' ';
  return text + " GMT";
}

}  // namespace

StateChange user_initiated(Ec2State to, base::Time now) {
  return {.to = to,
          .reason_code = "Client.UserInitiatedShutdown",
          .reason = "Client.UserInitiatedShutdown: User initiated shutdown",
          .transition = "User initiated (" + shown_time(now) + ")"};
}

void notify_group(Call& call, const state::Ec2Instance& instance, const std::string& failure) {
  if (instance.group.empty() || call.caller.service == kAutoScaling) return;
  const shapes::stoker::InstanceChanged message{instance.id, instance.group, failure};
  invoke(call, as_ec2(call, instance), "autoscaling", "InstanceChanged", message);
}

void publish_state(Call& call, const state::Ec2Instance& instance) {
  if (!call.directory->find("events", kOneRule)) return;
  const Caller principal = as_ec2(call, instance);
  if (invoke<ListRulesResponse>(call, principal, "events", kOneRule, ListRulesRequest()).Rules->empty()) return;
  PutEventsRequest request;
  request.Entries.resize(1);
  request.Entries[0].Source = "aws.ec2";
  request.Entries[0].DetailType = "EC2 Instance State-change Notification";
  request.Entries[0].Resources = {{instance_arn(instance)}};
  request.Entries[0].Detail = boost::json::serialize(
      boost::json::object{{"instance-id", instance.id}, {"state", text(instance.state)}});
  invoke<PutEventsResponse>(call, principal, "events", "PutEvents", request);
}

void change_state(Call& call, state::Ec2Instance& instance, InstanceBody& body, const StateChange& change) {
  instance.state = change.to;
  instance.changed_at = call.now;
  body.shape.StateReason.reset();
  if (!change.reason_code.empty()) body.shape.StateReason = {change.reason_code, change.reason};
  body.shape.StateTransitionReason = change.transition;
  set_body(instance, body);
  update_ec2_instance(call.tx, instance);
  if (is_work_of_a_provider(change.to)) call.wake(std::string(state::kMachinesTopic));
  publish_state(call, instance);
  if (change.to == Ec2State::Terminated) {
    call.wake(std::string(kTerminatedTopic));
    const shapes::stoker::MachineTerminated message{instance.id};
    invoke(call, as_ec2(call, instance), "ecs", "MachineTerminated", message);
  }
  notify_group(call, instance, change.failure);
}

}  // namespace services::ec2
