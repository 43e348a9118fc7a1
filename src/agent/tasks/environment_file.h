// SPDX-License-Identifier: Apache-2.0
// Parses a file of NAME=VALUE lines like Amazon's agent does.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace agent {

// Amazon has no limit. Linux limits the arguments and the environment of a process to 2 MiB together.
inline constexpr std::size_t kMaxEnvironmentFile = 1 << 20;
// The same limit as in Amazon's agent.
inline constexpr std::size_t kMaxEnvironmentLine = 64 * 1024 - 1;

using Variables = std::map<std::string, std::string>;

// A line that begins with # is a comment. A line without = or without a name is ignored. The value is
// everything after the first =: quotes, spaces and # have no meaning. The last value of a name wins.
// Invalid UTF-8, a NUL byte and a line that is too long are errors, which name the line.
base::Result<Variables> parse_environment_file(std::string_view text);

}  // namespace agent
