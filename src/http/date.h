// SPDX-License-Identifier: Apache-2.0
// The header Date: clients that find their clock wrong go by it.
#pragma once

#include <string>
#include <string_view>

#include "base/time.h"

namespace http {

// "Thu, 05 Nov 2026 09:30:10 GMT"
std::string to_date(base::Time time);

// As of now; written anew once a second. To be used at once: the next call on this thread may change it.
std::string_view current_date();

}  // namespace http
