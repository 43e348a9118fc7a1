// SPDX-License-Identifier: Apache-2.0
// Sends an event to the targets of all rules that match it, in the transaction of the caller.
#pragma once

#include "services/call.h"
#include "services/events/target_input.h"

namespace services::events {

// `call.caller` has the account and the region of the bus. A queue that does not accept the event does not fail the
// call: the event goes to the target's dead-letter queue, or a warning to the log.
void deliver(Call& call, const Event& event);

}  // namespace services::events
