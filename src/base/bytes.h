// SPDX-License-Identifier: Apache-2.0
// Bytes as text: hexadecimal, base64, percent-encoding.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace base {

// Bytes that are not text. A distinct type, so that encoders can tell them from strings.
struct Blob {
  std::string bytes;
  auto operator<=>(const Blob&) const = default;
};

std::string to_hex(std::string_view bytes);
std::optional<std::string> from_hex(std::string_view text);

std::string to_base64(std::string_view bytes);
// Standard alphabet. Padding is required; any other character is rejected.
std::optional<std::string> from_base64(std::string_view text);

// Everything but A-Z a-z 0-9 - _ . ~ becomes %XX (RFC 3986, as SigV4 requires).
std::string percent_encode(std::string_view text, bool keep_slash = false);
// nullopt for an invalid escape. `plus_is_space` as in forms.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space = false);

std::string to_lower(std::string_view text);
bool equals_ignoring_case(std::string_view a, std::string_view b);
// The time does not depend on where the first difference is.
bool equals_in_constant_time(std::string_view a, std::string_view b);

// Without spaces and tabs at either end.
std::string_view trim(std::string_view text);

}  // namespace base
