// SPDX-License-Identifier: Apache-2.0
// Dead-letter queues: who may send theirs where.
#pragma once

#include <string>

#include "services/sqs/queue.h"

namespace services::sqs {

// Checks a RedrivePolicy and puts it into the queue; "" takes it away.
void apply_redrive_policy(store::Tx& tx, Queue& queue, const std::string& json);
std::string redrive_policy(const Queue& queue);

// A RedriveAllowPolicy as it is kept; "" for none.
std::string check_redrive_allow_policy(const std::string& json);

}  // namespace services::sqs
