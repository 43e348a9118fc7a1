// SPDX-License-Identifier: Apache-2.0
// The time of `stoker logs --since`.
#pragma once

#include <string>

#include "base/result.h"
#include "base/time.h"

namespace cli {

// "90s", "10m", "2h", "1d" before `now`; a time of RFC 3339; or seconds since 1970.
base::Result<base::Time> parse_since(const std::string& text, base::Time now);

}  // namespace cli
