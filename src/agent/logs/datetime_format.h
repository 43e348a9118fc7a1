// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace agent::logs {

// A regular expression for the option awslogs-datetime-format: "[%b %d, %Y %H:%M:%S]". As in Docker's
// driver, an unknown conversion vanishes, and the rest of the text is part of the expression.
std::string datetime_pattern(std::string_view format);

}  // namespace agent::logs
