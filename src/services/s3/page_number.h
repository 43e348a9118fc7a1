// SPDX-License-Identifier: Apache-2.0
// Numbers in requests for pages: how many items, and after which one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace services::s3 {

// Throws InvalidArgument for a negative number.
std::int32_t page_number(std::optional<std::int32_t> value, std::int32_t otherwise, std::string_view name);

}  // namespace services::s3
