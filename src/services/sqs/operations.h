// SPDX-License-Identifier: Apache-2.0
// The parts that module.cc puts together. Each source exports its own.
#pragma once

#include <vector>

#include "services/module.h"

namespace services::sqs {

std::vector<Operation> queue_operations();
std::vector<Operation> queue_list_operations();
std::vector<Operation> tag_operations();
std::vector<Operation> permission_operations();
std::vector<Operation> send_operations();
std::vector<Operation> internal_send_operations();
std::vector<Operation> holder_operations();  // for other services only
std::vector<Operation> receive_operations();
std::vector<Operation> in_flight_operations();
std::vector<Operation> move_task_operations();
// RemoveMessage, BuryMessage, PrioritizeMessage and FindMissingMessages: for services that track the messages they sent.
std::vector<Operation> tracked_message_operations();

store::Migrations migrations();

Loop sweep_loop();
Loop move_loop();

}  // namespace services::sqs
