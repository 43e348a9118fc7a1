// SPDX-License-Identifier: Apache-2.0
// JSON text <-> values, by table. Straight from the parser's events into the struct
// and from the struct into text: there is no tree of JSON values in between.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/type.h"
#include "wire/validate.h"

namespace wire {

inline constexpr std::size_t kMaxJsonDepth = 64;

// Fills the struct or map `value`; empty text is "{}". Answers the required members that
// were not there. Throws ApiError SerializationException.
// Unknown members are passed over; null is as good as absent, and in lists and maps
// it is dropped; a list that comes twice is one longer list.
std::vector<Violation> read_json(const TypeInfo& type, std::string_view text, void* value);

// Adds the struct or map to `out`, a struct's absent members left out.
void write_json(const TypeInfo& type, const void* value, std::string& out);

// Adds text as a JSON string, quotes included.
void write_json_string(std::string_view text, std::string& out);

}  // namespace wire
