// SPDX-License-Identifier: Apache-2.0
// Non-ASCII text in headers, encoded as in mail: RFC 2047.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wire {

// "Miniö" -> "=?UTF-8?Q?Mini=C3=B6?=". Long text becomes several words. ASCII is unchanged. `text` is UTF-8.
std::string to_encoded_words(std::string_view text);
// The text of one or more encoded words in UTF-8 or ASCII, with spaces between them; nullopt for any other text,
// and for text with control characters.
std::optional<std::string> from_encoded_words(std::string_view text);

}  // namespace wire
