// SPDX-License-Identifier: Apache-2.0
// Amazon's limit on messages that are received and not yet deleted.
#pragma once

#include <cstddef>

#include "services/sqs/queue.h"

namespace services::sqs {

// How many of `wanted` a receiver may be given now.
std::size_t room_in_flight(store::Tx& tx, const Queue& queue, base::Time now, std::size_t wanted);
void count_in_flight(const Queue& queue, std::size_t received);

}  // namespace services::sqs
