// SPDX-License-Identifier: Apache-2.0
// After a start with a clock that is more than a day earlier than before: times in the database that the server's clock
// cannot have set. By less, the server's clock continues from its last time (base/server_clock.h).
#pragma once

#include "services/call.h"

namespace services::sqs {

// Makes messages visible that would be hidden for longer than any timeout or delay, and forgets deduplication ids and
// receive attempts of the future. Reads the entries of an index for messages that are hidden longer than any delay.
void repair_future_times(Call& call);

}  // namespace services::sqs
