// SPDX-License-Identifier: Apache-2.0
// How other services send to queues: see services/queue_door.h.
#pragma once

#include "services/queue_door.h"

namespace services::sqs {

QueueDoor queue_door();

}  // namespace services::sqs
