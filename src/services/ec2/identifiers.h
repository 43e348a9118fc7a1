// SPDX-License-Identifier: Apache-2.0
// EC2's ids: "i-0123456789abcdef0".
#pragma once

#include <string>
#include <string_view>

namespace services::ec2 {

// Random: make_id("i") is "i-0123456789abcdef0".
std::string make_id(std::string_view prefix);
// The same for the same text.
std::string derive_id(std::string_view prefix, std::string_view text);
// The prefix and 8 or 17 hexadecimal digits.
bool is_id(std::string_view text, std::string_view prefix);
// "instance" for an id "i-..."; "" where no resource of ours has such ids.
std::string_view resource_type_of(std::string_view id);

}  // namespace services::ec2
