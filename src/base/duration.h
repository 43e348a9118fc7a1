// SPDX-License-Identifier: Apache-2.0
// Durations as text for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace base {

// "3 d 4 h", "5 min", "12 s": the two largest nonzero units; "300 ms" for less than a second. "0 s" for nothing.
std::string duration_text(Duration duration);

// "20ms", "90s", "65m", "2h", "1d"; nullopt for anything else, and for more than ten years.
std::optional<Duration> parse_duration(std::string_view text);

}  // namespace base
