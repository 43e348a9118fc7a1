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

// Fills the struct; no bytes at all are an empty one. Answers the required members
// that were not there. Throws ApiError SerializationException. What is unknown, null
// or twice there is treated as in JSON.
std::vector<Violation> read_cbor(const TypeInfo& type, std::string_view bytes, void* value);

// Adds the struct to `out`, its absent members left out; lengths are definite.
void write_cbor(const TypeInfo& type, const void* value, std::string& out);

// Pieces for what has no table: the head of a map with `count` entries, and a text.
void write_cbor_map_head(std::size_t count, std::string& out);
void write_cbor_text(std::string_view text, std::string& out);

}  // namespace wire
