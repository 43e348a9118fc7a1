// SPDX-License-Identifier: Apache-2.0
// A chunk: many events in few bytes, made to be searched. Its messages are one compressed text, apart from all else, so
// that a search decompresses nothing but text and decodes no event without a hit. In front stands a set of the text's
// trigrams: most chunks without a rare term are skipped by that alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/logs/event.h"

namespace telemetry {

// Substrings without which no event is wanted.
struct TextHint {
  std::vector<std::string> all;  // each of these
  std::vector<std::string> any;  // and one of these, unless it is empty

  bool empty() const { return all.empty() && any.empty(); }
};

// No chunk has more text, nor events.
inline constexpr std::size_t kMaxChunkText = 16u << 20;
inline constexpr std::size_t kMaxChunkEvents = 1u << 20;

// `rows` are in order of their keys; their messages are in `text`.
std::string encode_chunk(std::span<const EventTable::Row> rows, std::string_view text);

// What stands in front of a chunk. It is enough for may_contain().
struct ChunkHead {
  std::uint32_t events = 0;
  std::uint32_t columns_plain = 0, columns_size = 0;  // bytes before and after compression
  std::uint32_t text_plain = 0, text_size = 0;
  std::string_view grams;  // points into the parsed bytes; empty: small, without them

  std::size_t size() const;  // of the head
};
inline constexpr std::size_t kMaxHeadBytes = 28 + 8192;
// `bytes` has at least the first kMaxHeadBytes of the chunk, or all of it. nullopt for other bytes.
std::optional<ChunkHead> parse_head(std::string_view bytes);

// False: no event of the chunk has what the hint requires.
bool may_contain(const ChunkHead& head, const TextHint& hint);

// nullopt for damaged bytes.
std::optional<std::string> decode_text(const ChunkHead& head, std::string_view chunk);
// Without the text, which the caller has.
std::optional<std::vector<EventTable::Row>> decode_rows(const ChunkHead& head, std::string_view chunk);

// Whether some message could contain what the hint requires: a search over the whole text.
bool text_has(std::string_view text, const TextHint& hint);
// The indexes of the rows whose messages have what the hint requires.
std::vector<std::uint32_t> matching_rows(const EventTable& table, const TextHint& hint);

}  // namespace telemetry
