// SPDX-License-Identifier: Apache-2.0
// What a lifecycle hook sends: a message to its queue, an event, and for ECS's own hook a request to drain.
#pragma once

#include <string>

#include "services/autoscaling/groups/group.h"
#include "services/call.h"
#include "shapes/autoscaling/lifecycle_hook.h"

namespace services::autoscaling {

// autoscaling:TEST_NOTIFICATION. Throws ValidationError where the target rejects it.
void send_test_message(Call& call, const Group& group, const shapes::autoscaling::LifecycleHook& hook);

struct HookMessage {
  std::string instance, token;
};
// A target that rejects the message is logged only: the action waits for its time-out.
void send_hook_message(Call& call, const Group& group, const shapes::autoscaling::LifecycleHook& hook,
                       const HookMessage& message);

}  // namespace services::autoscaling
