// SPDX-License-Identifier: Apache-2.0
// Ordinary log lines of a web service, each different, the same for the same number.
#pragma once

#include <cstdint>
#include <string>

namespace bench {

// Appends about 125 bytes, without a newline. One line in `kRareEvery` has kRareTerm.
void append_line(std::uint64_t number, std::string& out);

inline constexpr char kRareTerm[] = "OutOfMemoryError";
inline constexpr std::uint64_t kRareEvery = 1000003;

}  // namespace bench
