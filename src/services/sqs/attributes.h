// SPDX-License-Identifier: Apache-2.0
// Queue attributes: Amazon's names and limits, to and from a Queue.
#pragma once

#include <string>
#include <string_view>

#include "services/sqs/queue.h"

namespace services::sqs {

// Checks `attributes` and puts them into the queue. Throws InvalidAttributeName,
// InvalidAttributeValue or InvalidParameterValue.
void apply_attributes(store::Tx& tx, Queue& queue, const StringMap& attributes);

// Everything but the counts, as GetQueueAttributes shows it.
StringMap shown_attributes(const Queue& queue);

// An attribute that has no column of its own; "" where it was not set.
std::string other_attribute(const Queue& queue, std::string_view name);

// Is `name` one that GetQueueAttributes may be asked for?
bool known_attribute(std::string_view name);

}  // namespace services::sqs
