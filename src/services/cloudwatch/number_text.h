// SPDX-License-Identifier: Apache-2.0
// Numbers as Amazon prints them in messages.
#pragma once

#include <string>

namespace services::cloudwatch {

// With thousands separators and no exponent: 1e21 is "1,000,000,000,000,000,000,000", an infinity "∞".
std::string grouped_number(double value);

}  // namespace services::cloudwatch
