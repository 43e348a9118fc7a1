// SPDX-License-Identifier: Apache-2.0
// The numbers by which pages are asked for: how many, and after which one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace services::s3 {

// Throws InvalidArgument for one below zero.
std::int32_t page_number(std::optional<std::int32_t> value, std::int32_t otherwise, std::string_view name);

}  // namespace services::s3
