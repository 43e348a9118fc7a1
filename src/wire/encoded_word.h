// SPDX-License-Identifier: Apache-2.0
// Text in headers that is not ASCII, as mail writes it: RFC 2047.
#pragma once

#include <string>
#include <string_view>

namespace wire {

// "Miniö" -> "=?UTF-8?Q?Mini=C3=B6?=", in several words where it is long. ASCII stays as it is. `text` is UTF-8.
std::string to_encoded_words(std::string_view text);

}  // namespace wire
