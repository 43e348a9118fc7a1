// SPDX-License-Identifier: Apache-2.0
// A queue's tags.
#pragma once

#include "services/sqs/queue.h"

namespace services::sqs {

// `tags` with `more` added or replaced. Throws where a tag is invalid or there are too many.
StringMap add_tags(StringMap tags, const StringMap& more);

}  // namespace services::sqs
