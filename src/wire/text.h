// SPDX-License-Identifier: Apache-2.0
// Scalars as text: what query parameters, XML content, headers and paths carry.
#pragma once

#include <string>
#include <string_view>

#include "wire/type.h"

namespace wire {

// Fills a scalar; false when the text is none of that type. TimeFormat::Default takes
// any of the three formats.
bool read_text(const TypeInfo& type, TimeFormat format, std::string_view text, void* value);

// Adds a scalar's text to `out`, unescaped. TimeFormat::Default is ISO 8601.
void append_text(const TypeInfo& type, TimeFormat format, const void* value, std::string& out);

}  // namespace wire
