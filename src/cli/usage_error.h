// SPDX-License-Identifier: Apache-2.0
// An error of the arguments that the parser of the command line does not find.
#pragma once

#include <stdexcept>

namespace cli {

inline constexpr int kUsageError = 2;  // the exit status

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace cli
