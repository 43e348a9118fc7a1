// SPDX-License-Identifier: Apache-2.0
// Tells a clock that was set from one that begins in 1970.
#pragma once

#include "base/time.h"

namespace base {

// No machine whose clock is set shows an earlier time: 2025-01-01.
inline constexpr Time kFirstPlausibleTime = from_seconds(1'735'689'600);

}  // namespace base
