// SPDX-License-Identifier: Apache-2.0
// CBOR (RFC 8949) <-> values, by table, as Smithy's rpc-v2-cbor uses it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/type.h"
#include "wire/validate.h"

namespace wire {

inline constexpr int kMaxCborDepth = 64;

// Fills the struct; empty input is an empty struct. Returns the missing required members.
// Throws ApiError SerializationException. Unknown, null and repeated members are handled
// as in JSON.
std::vector<Violation> read_cbor(const TypeInfo& type, std::string_view bytes, void* value);

// Appends the struct to `out` without its absent members, with definite lengths.
void write_cbor(const TypeInfo& type, const void* value, std::string& out);

// For values without a table: the head of a map with `count` entries, and a text.
void write_cbor_map_head(std::size_t count, std::string& out);
void write_cbor_text(std::string_view text, std::string& out);

}  // namespace wire
