// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/time.h"

namespace base {

// "Thu, 05 Nov 2026 09:30:10 GMT", the format of HTTP headers and RFC 822 timestamps.
std::string to_date_text(Time time);

}  // namespace base
