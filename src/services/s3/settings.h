// SPDX-License-Identifier: Apache-2.0
// What whoever runs the server decides about S3, and what S3 keeps in memory.
#pragma once

#include "services/locals.h"

namespace services::s3 {

struct Settings {
  // A new notification configuration sends Amazon's s3:TestEvent to each of its queues. Off: for
  // workers that can't read it.
  bool test_events = true;
};

// Before anybody calls a handler.
void add_locals(Locals& locals, Settings settings = {});

}  // namespace services::s3
