// SPDX-License-Identifier: Apache-2.0
#include "telemetry/logs/chunk.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "telemetry/logs/columns.h"

namespace telemetry {
namespace {

constexpr std::string_view kMagic = "SLC1";
constexpr std::size_t kFixedHead = 28;
constexpr std::size_t kGramBytes = 8192;
constexpr std::size_t kGramsFrom = 256u << 10;  // bytes of text; smaller chunks are read at once anyway
// Measured on log lines: level 1 finds only long matches, and its chunks are 6 % smaller than those of level 3, in half
// the time. Level 6 saves 7 % more and takes six times as long.
constexpr int kChunkLevel = 1;
constexpr std::size_t kMaxColumnBytes = 64 * kMaxChunkEvents;

void put_u32(std::string& out, std::size_t value) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(value >> shift);
}

std::uint32_t get_u32(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  }
  return value;
}

std::uint32_t gram_bit(std::uint32_t three_bytes) { return (three_bytes * 0x9E3779B1u) >> 16; }

// Also those across two messages: a few bits more, and nothing is missed.
std::string grams_of(std::string_view text) {
  std::string grams(kGramBytes, '\0');
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    last = (last << 8 | static_cast<unsigned char>(text[i])) & 0xffffff;
    if (i < 2) continue;
    const std::uint32_t bit = gram_bit(last);
    grams[bit >> 3] = static_cast<char>(grams[bit >> 3] | 1 << (bit & 7));
  }
  return grams;
}

bool has_grams(std::string_view grams, std::string_view term) {
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < term.size(); ++i) {
    last = (last << 8 | static_cast<unsigned char>(term[i])) & 0xffffff;
    if (i < 2) continue;
    const std::uint32_t bit = gram_bit(last);
    if (!(grams[bit >> 3] >> (bit & 7) & 1)) return false;
  }
  return true;
}

// Column by column: alike values next to each other compress well.
std::string encode_columns(std::span<const EventTable::Row> rows) {
  std::string out;
  const EventTable::Row none;
  const auto each = [&](auto&& value) {
    const EventTable::Row* before = &none;
    for (const EventTable::Row& row : rows) {
      value(row, *before);
      before = &row;
    }
  };
  using Row = EventTable::Row;
  each([&](const Row& row, const Row& last) {
    put_signed(out, wrapping_difference(row.key.timestamp_ms, last.key.timestamp_ms));
  });
  each([&](const Row& row, const Row& last) { put_signed(out, wrapping_difference(row.key.batch, last.key.batch)); });
  each([&](const Row& row, const Row& last) {
    put_signed(out, wrapping_difference(row.key.index, row.key.batch == last.key.batch ? last.key.index + 1 : 0));
  });
  each([&](const Row& row, const Row& last) { put_signed(out, wrapping_difference(row.ingested_ms, last.ingested_ms)); });
  each([&](const Row& row, const Row& last) { put_signed(out, wrapping_difference(row.stream, last.stream)); });
  each([&](const Row& row, const Row&) { put_varint(out, row.size); });
  return out;
}

bool search(std::string_view text, std::string_view term) {
  return ::memmem(text.data(), text.size(), term.data(), term.size()) != nullptr;
}

const std::string& longest(const std::vector<std::string>& terms) {
  return *std::max_element(terms.begin(), terms.end(),
                           [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
}

// Calls `hit` with the index of each row that contains the term, in order.
template <class Hit>
void find_rows(const EventTable& table, std::string_view term, const Hit& hit) {
  if (term.empty()) {
    for (std::size_t i = 0; i < table.rows.size(); ++i) hit(i);
    return;
  }
  const char* const begin = table.text.data();
  const char* const end = begin + table.text.size();
  const char* at = begin;
  while (at < end) {
    at = static_cast<const char*>(::memmem(at, static_cast<std::size_t>(end - at), term.data(), term.size()));
    if (!at) return;
    const auto offset = static_cast<std::size_t>(at - begin);
    const auto after = std::upper_bound(table.rows.begin(), table.rows.end(), offset,
                                        [](std::size_t value, const EventTable::Row& row) { return value < row.offset; });
    const EventTable::Row& row = *(after - 1);
    const std::size_t row_end = std::size_t{row.offset} + row.size;
    if (offset + term.size() <= row_end) {
      hit(static_cast<std::size_t>(after - 1 - table.rows.begin()));
      at = begin + row_end;
    } else {
      ++at;  // it begins in one message and ends in the next
    }
  }
}

}  // namespace

std::size_t ChunkHead::size() const { return kFixedHead + grams.size(); }

std::string encode_chunk(std::span<const EventTable::Row> rows, std::string_view text) {
  std::string together;
  for (const EventTable::Row& row : rows) together += text.substr(row.offset, row.size);
  CHECK(together.size() <= kMaxChunkText && rows.size() <= kMaxChunkEvents) << "too much for a chunk";
  const std::string columns = encode_columns(rows);
  const std::string columns_small = compress(columns, kChunkLevel), text_small = compress(together, kChunkLevel);
  const std::string grams = together.size() >= kGramsFrom ? grams_of(together) : "";
  std::string out(kMagic);
  for (const std::size_t value : {rows.size(), columns.size(), columns_small.size(), together.size(),
                                  text_small.size(), grams.size()}) {
    put_u32(out, value);
  }
  return out + grams + columns_small + text_small;
}

std::optional<ChunkHead> parse_head(std::string_view bytes) {
  if (bytes.size() < kFixedHead || !bytes.starts_with(kMagic)) return std::nullopt;
  ChunkHead head;
  head.events = get_u32(bytes, 4);
  head.columns_plain = get_u32(bytes, 8);
  head.columns_size = get_u32(bytes, 12);
  head.text_plain = get_u32(bytes, 16);
  head.text_size = get_u32(bytes, 20);
  const std::uint32_t grams = get_u32(bytes, 24);
  if (head.events > kMaxChunkEvents || head.text_plain > kMaxChunkText || head.columns_plain > kMaxColumnBytes) {
    return std::nullopt;
  }
  if ((grams != 0 && grams != kGramBytes) || bytes.size() < kFixedHead + grams) return std::nullopt;
  head.grams = bytes.substr(kFixedHead, grams);
  return head;
}

bool may_contain(const ChunkHead& head, const TextHint& hint) {
  if (head.grams.empty()) return true;
  const auto has = [&](const std::string& term) { return has_grams(head.grams, term); };
  return std::all_of(hint.all.begin(), hint.all.end(), has) &&
         (hint.any.empty() || std::any_of(hint.any.begin(), hint.any.end(), has));
}

std::optional<std::string> decode_text(const ChunkHead& head, std::string_view chunk) {
  const std::size_t begin = head.size() + head.columns_size;
  if (chunk.size() != begin + head.text_size) return std::nullopt;
  return decompress(chunk.substr(begin), head.text_plain);
}

std::optional<std::vector<EventTable::Row>> decode_rows(const ChunkHead& head, std::string_view chunk) {
  if (chunk.size() < head.size() + head.columns_size) return std::nullopt;
  const auto plain = decompress(chunk.substr(head.size(), head.columns_size), head.columns_plain);
  // A row has at least one byte in each of its columns.
  if (!plain || plain->size() < std::size_t{head.events} * 6) return std::nullopt;
  ColumnReader columns(*plain);
  std::vector<EventTable::Row> rows(head.events);
  const auto each = [&](auto&& read) {
    EventTable::Row before;
    for (EventTable::Row& row : rows) {
      read(row, before);
      before = row;
    }
  };
  using Row = EventTable::Row;
  each([&](Row& row, const Row& last) {
    row.key.timestamp_ms = wrapping_sum(last.key.timestamp_ms, columns.signed_varint());
  });
  each([&](Row& row, const Row& last) { row.key.batch = wrapping_sum(last.key.batch, columns.signed_varint()); });
  each([&](Row& row, const Row& last) {
    const std::int64_t from = row.key.batch == last.key.batch ? wrapping_sum(last.key.index, 1) : 0;
    row.key.index = wrapping_sum(from, columns.signed_varint());
  });
  each([&](Row& row, const Row& last) { row.ingested_ms = wrapping_sum(last.ingested_ms, columns.signed_varint()); });
  each([&](Row& row, const Row& last) { row.stream = wrapping_sum(last.stream, columns.signed_varint()); });
  std::uint64_t offset = 0;
  for (Row& row : rows) {
    const std::uint64_t size = columns.varint();
    if (size > head.text_plain || offset + size > head.text_plain) return std::nullopt;
    row.offset = static_cast<std::uint32_t>(offset);
    row.size = static_cast<std::uint32_t>(size);
    offset += size;
  }
  if (!columns.ok() || !columns.rest().empty() || offset != head.text_plain) return std::nullopt;
  return rows;
}

bool text_has(std::string_view text, const TextHint& hint) {
  const auto has = [&](const std::string& term) { return search(text, term); };
  if (!hint.all.empty()) return has(longest(hint.all));
  return hint.any.empty() || std::any_of(hint.any.begin(), hint.any.end(), has);
}

std::vector<std::uint32_t> matching_rows(const EventTable& table, const TextHint& hint) {
  std::vector<std::uint32_t> found;
  const auto add = [&](std::size_t row) { found.push_back(static_cast<std::uint32_t>(row)); };
  if (!hint.all.empty()) {
    find_rows(table, longest(hint.all), add);
  } else if (!hint.any.empty()) {
    for (const std::string& term : hint.any) find_rows(table, term, add);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
  } else {
    find_rows(table, "", add);
  }
  std::erase_if(found, [&](std::uint32_t index) {
    const std::string_view message = table.message(table.rows[index]);
    const auto has = [&](const std::string& term) { return search(message, term); };
    return !std::all_of(hint.all.begin(), hint.all.end(), has) ||
           (!hint.any.empty() && !std::any_of(hint.any.begin(), hint.any.end(), has));
  });
  return found;
}

}  // namespace telemetry
