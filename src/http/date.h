// SPDX-License-Identifier: Apache-2.0
// The Date header. Clients with a wrong clock correct it by this.
#pragma once

#include <string_view>

namespace http {

// The current time, formatted once a second. Use it at once: the next call on this thread may overwrite it.
std::string_view current_date();

}  // namespace http
