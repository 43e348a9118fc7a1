// SPDX-License-Identifier: Apache-2.0
// Sizes as text of people.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace base {

// "0", "512K", "64M", "10G" or "10GiB", "1T", in powers of 1024; nullopt for anything else.
std::optional<std::uint64_t> parse_size(std::string_view text);

}  // namespace base
