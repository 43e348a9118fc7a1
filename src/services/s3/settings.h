// SPDX-License-Identifier: Apache-2.0
// The module's memory, for callers that do not take modules yet.
#pragma once

#include "services/s3/module.h"

namespace services::s3 {

struct Settings {
  bool test_events = true;
};

inline void add_locals(Locals& locals, Settings settings = {}) {
  module({.test_events = settings.test_events}).add_memory(locals);
}

}  // namespace services::s3
