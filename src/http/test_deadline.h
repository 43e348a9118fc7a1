// SPDX-License-Identifier: Apache-2.0
// For tests: how long to wait for what must happen, so that a test that hangs reports where.
#pragma once

#include "base/time.h"

namespace http {

// Long enough for a sanitizer build on a busy machine.
inline constexpr base::Duration kTestDeadline = std::chrono::seconds(120);
inline constexpr int kTestDeadlineMs = kTestDeadline / std::chrono::milliseconds(1);

}  // namespace http
