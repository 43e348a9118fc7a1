// SPDX-License-Identifier: Apache-2.0
// Any bytes as a batch, a chunk, the list of a chunk's streams, an event's id or pointer: an error, or a value that can
// be encoded and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "services/logs/event_pointer.h"
#include "telemetry/logs/batch.h"
#include "telemetry/logs/chunk.h"
#include "telemetry/logs/source.h"

namespace {

void check_table(const telemetry::EventTable& table) {
  for (const auto& row : table.rows) {
    if (table.message(row).size() != row.size) std::abort();
  }
  telemetry::TextHint hint{{"a"}, {"b", "ab"}};
  for (const std::uint32_t index : telemetry::matching_rows(table, hint)) {
    if (table.message(table.rows[index]).find('a') == std::string_view::npos) std::abort();
  }
}

void try_batch(std::string_view bytes) {
  const auto table = telemetry::decode_batch(bytes, {.number = 1, .stream = 2, .ingested_ms = 3});
  if (!table) return;
  check_table(*table);
  std::vector<telemetry::NewEvent> events;
  for (const auto& row : table->rows) events.push_back({row.key.timestamp_ms, table->message(row)});
  const auto again = telemetry::decode_batch(telemetry::encode_batch(events), {});
  if (!again || again->text != table->text) std::abort();
}

void try_chunk(std::string_view bytes) {
  const auto head = telemetry::parse_head(bytes);
  if (!head) return;
  telemetry::may_contain(*head, {{"abc"}, {}});
  auto text = telemetry::decode_text(*head, bytes);
  auto rows = telemetry::decode_rows(*head, bytes);
  if (!text || !rows) return;
  const telemetry::EventTable table{std::move(*rows), std::move(*text)};
  check_table(table);
  const std::string again = telemetry::encode_chunk(table.rows, table.text);
  const auto head_again = telemetry::parse_head(again);
  if (!head_again || telemetry::decode_text(*head_again, again) != table.text) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try_batch(bytes);
  try_chunk(bytes);
  telemetry::has_stream(bytes, {1, 5});
  if (const auto key = telemetry::parse_event_id(bytes); key && telemetry::event_id(*key) != bytes) std::abort();
  if (const auto pointer = services::logs::parse_event_pointer(bytes)) {
    if (!services::logs::parse_event_pointer(services::logs::to_text(*pointer))) std::abort();
  }
  return 0;
}
