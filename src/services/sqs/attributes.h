// SPDX-License-Identifier: Apache-2.0
// Queue attributes: Amazon's names and limits, to and from a Queue.
#pragma once

#include <string>
#include <string_view>

#include "services/sqs/queue.h"

namespace services::sqs {

// Checks `attributes` and sets them on the queue. Throws InvalidAttributeName,
// InvalidAttributeValue or InvalidParameterValue.
void apply_attributes(store::Tx& tx, Queue& queue, const StringMap& attributes);

// What GetQueueAttributes returns, without the counts.
StringMap shown_attributes(const Queue& queue);

// An attribute without a column of its own; "" where it is not set.
std::string other_attribute(const Queue& queue, std::string_view name);

// Whether GetQueueAttributes can return it.
bool known_attribute(std::string_view name);

}  // namespace services::sqs
