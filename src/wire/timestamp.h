// SPDX-License-Identifier: Apache-2.0
// Amazon's three timestamp formats.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace wire {

// "2026-11-05T09:30:10Z"; with milliseconds if they are not zero, or always.
std::string to_iso8601(base::Time time, bool always_millis = false);
// "Thu, 05 Nov 2026 09:30:10 GMT"
std::string to_rfc822(base::Time time);
// Appends "1793871010" or "1793871010.123" to `out`.
void append_epoch(std::string& out, base::Time time);

// Truncates to milliseconds. Years 0000 to 9999.
std::optional<base::Time> from_iso8601(std::string_view text);
// Also HTTP's obsolete formats: "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994".
std::optional<base::Time> from_rfc822(std::string_view text);
std::optional<base::Time> from_epoch(std::string_view text);
std::optional<base::Time> from_epoch(double seconds);

}  // namespace wire
