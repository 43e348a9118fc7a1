// SPDX-License-Identifier: Apache-2.0
// Sizes as text of people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace base {

// "0", "512K", "64M", "10G" or "10GiB", "1T", in powers of 1024; nullopt for anything else.
std::optional<std::uint64_t> parse_size(std::string_view text);

// "412 MiB", "1.2 GiB": at most three digits, or four before the next unit. Never more than there is.
std::string size_text(std::uint64_t bytes);

}  // namespace base
