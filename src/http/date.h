// SPDX-License-Identifier: Apache-2.0
// The header Date: clients that find their clock wrong go by it.
#pragma once

#include <string_view>

namespace http {

// As of now; written anew once a second. To be used at once: the next call on this thread may change it.
std::string_view current_date();

}  // namespace http
