// SPDX-License-Identifier: Apache-2.0
// A queue's tags.
#pragma once

#include "services/sqs/queue.h"

namespace services::sqs {

// Throws where the result would break Amazon's limits.
StringMap add_tags(StringMap tags, const StringMap& more);

}  // namespace services::sqs
