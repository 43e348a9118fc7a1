// SPDX-License-Identifier: Apache-2.0
// JSON text <-> values, by table: from the parser's events directly into the struct, and
// from the struct directly into text, without a tree of JSON values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/type.h"
#include "wire/validate.h"

namespace wire {

inline constexpr std::size_t kMaxJsonDepth = 64;

// Fills the struct or map `value`; empty text counts as "{}". Returns the missing required
// members. Throws ApiError SerializationException.
// Unknown members are ignored. A null member counts as absent; nulls in lists and maps are
// dropped. The elements of a repeated list are appended.
std::vector<Violation> read_json(const TypeInfo& type, std::string_view text, void* value);

// Appends the struct or map to `out`, without absent members.
void write_json(const TypeInfo& type, const void* value, std::string& out);

// Appends text as a JSON string with its quotes.
void write_json_string(std::string_view text, std::string& out);

}  // namespace wire
