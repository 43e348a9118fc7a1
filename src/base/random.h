// SPDX-License-Identifier: Apache-2.0
// Cryptographically secure random bytes, for ids and secrets.
#pragma once

#include <string>
#include <string_view>

namespace base {

std::string random_bytes(std::size_t count);
std::string random_text(std::size_t length, std::string_view alphabet);
// A version 4 UUID, lower case.
std::string random_uuid();

}  // namespace base
