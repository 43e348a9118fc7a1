// SPDX-License-Identifier: Apache-2.0
// Dead-letter queues: which queue may use which.
#pragma once

#include <string>

#include "services/sqs/queue.h"

namespace services::sqs {

// Checks a RedrivePolicy and sets it on the queue; "" removes it.
void apply_redrive_policy(store::Tx& tx, Queue& queue, const std::string& json);
std::string redrive_policy(const Queue& queue);

// A RedriveAllowPolicy as it is stored; "" removes it.
std::string check_redrive_allow_policy(const std::string& json);

}  // namespace services::sqs
