// SPDX-License-Identifier: Apache-2.0
// Scalars as text, for query parameters, XML content, headers and paths.
#pragma once

#include <string>
#include <string_view>

#include "wire/type.h"

namespace wire {

// Fills a scalar; false if the text is invalid for the type. TimeFormat::Default accepts
// all three formats.
bool read_text(const TypeInfo& type, TimeFormat format, std::string_view text, void* value);

// Appends a scalar's text to `out`, unescaped. TimeFormat::Default is ISO 8601.
void append_text(const TypeInfo& type, TimeFormat format, const void* value, std::string& out);

// A finite number. A whole one has a fraction too, as in Amazon's answers: "5.0". Clients take a number without one for
// an integer.
void append_real(double number, std::string& out);
void append_real(float number, std::string& out);

}  // namespace wire
