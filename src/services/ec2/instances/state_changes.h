// SPDX-License-Identifier: Apache-2.0
// Changes of an instance's state: the row, and everyone who has to know of it.
#pragma once

#include <string>
#include <string_view>

#include "services/call.h"
#include "services/ec2/instances/instance_body.h"
#include "state/ec2_instance.h"

namespace services::ec2 {

// A terminated instance stays visible for this long.
inline constexpr base::Duration kTerminatedFor = std::chrono::hours(1);
// The loop that deletes it then.
inline constexpr std::string_view kTerminatedTopic = "ec2/terminated";

struct StateChange {
  state::Ec2State to = state::Ec2State::Pending;
  std::string reason_code = {}, reason = {};  // StateReason; "": none
  std::string transition = {};                // StateTransitionReason
  std::string failure = {};                   // for Auto Scaling: why it could not start, or why it is gone
};

// "User initiated (2026-11-18 09:00:00 GMT)", and its StateReason.
StateChange user_initiated(state::Ec2State to, base::Time now);

// Writes the row and the body. Wakes the providers, publishes an event, and notifies Auto Scaling and ECS.
void change_state(Call& call, state::Ec2Instance& instance, InstanceBody& body, const StateChange& change);

// InstanceChanged, for instances of a group. Not for changes that Auto Scaling requested itself: it has their answer.
void notify_group(Call& call, const state::Ec2Instance& instance, const std::string& failure);
// "EC2 Instance State-change Notification" of the present state.
void publish_state(Call& call, const state::Ec2Instance& instance);

}  // namespace services::ec2
