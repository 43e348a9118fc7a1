// SPDX-License-Identifier: Apache-2.0
// A file of NAME=VALUE lines, read as Amazon's agent reads one.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace agent {

// Amazon has no limit. Linux gives a process 2 MiB for its arguments and its whole environment.
inline constexpr std::size_t kMaxEnvironmentFile = 1 << 20;
// Amazon's agent reads no longer line either.
inline constexpr std::size_t kMaxEnvironmentLine = 64 * 1024 - 1;

using Variables = std::map<std::string, std::string>;

// A line that begins with # is a comment; one without an = or without a name is passed over. All that
// follows the first = is the value: quotes, spaces and # have no meaning. The last of a name stands.
// An error, which says the line, for what no variable can be: bytes that are not UTF-8, a NUL, a line
// that is too long.
base::Result<Variables> parse_environment_file(std::string_view text);

}  // namespace agent
