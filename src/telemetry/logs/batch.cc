// SPDX-License-Identifier: Apache-2.0
#include "telemetry/logs/batch.h"

#include <algorithm>

#include "base/check.h"
#include "telemetry/logs/columns.h"
#include "telemetry/logs/seal.h"

namespace telemetry {
namespace {

// The first byte of a batch.
constexpr char kPlain = 0, kCompressed = 1;
// Shorter ones do not get smaller.
constexpr std::size_t kCompressFrom = 256;
constexpr int kBatchLevel = 1;  // of a batch: it runs on the writer, and the chunk is compressed better
constexpr std::size_t kMaxEncodedBytes = 4u << 20;

constexpr char kTables[] = R"sql(
-- What each group has. One row, so that an append changes few pages.
CREATE TABLE log_heads (
  group_id INTEGER PRIMARY KEY,
  batches INTEGER NOT NULL,            -- ever appended: the number of the last one
  stored_bytes INTEGER NOT NULL,
  unsealed_bytes INTEGER NOT NULL,
  unsealed_batches INTEGER NOT NULL,
  seal_at INTEGER                      -- when the sealer is due; NULL: all is sealed
);
CREATE INDEX log_heads_due ON log_heads (seal_at) WHERE seal_at IS NOT NULL;

CREATE TABLE log_batches (
  id INTEGER PRIMARY KEY,
  group_id INTEGER NOT NULL,
  number INTEGER NOT NULL,
  stream INTEGER NOT NULL,
  ingested_at INTEGER NOT NULL,
  first_at INTEGER NOT NULL,           -- of its events' timestamps
  last_at INTEGER NOT NULL,
  stored_bytes INTEGER NOT NULL,       -- as Amazon counts them
  bytes BLOB NOT NULL
);
CREATE UNIQUE INDEX log_batches_number ON log_batches (group_id, number);

-- Sealed events of a group, ordered by their keys. They never change.
CREATE TABLE log_chunks (
  id INTEGER PRIMARY KEY,
  group_id INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  events INTEGER NOT NULL,
  stored_bytes INTEGER NOT NULL,
  size INTEGER NOT NULL,               -- of the file or of `bytes`
  file TEXT,                           -- NULL: small, in `bytes`
  bytes BLOB,
  streams BLOB NOT NULL                -- the numbers of its streams
);
CREATE INDEX log_chunks_first ON log_chunks (group_id, first_at, id, last_at);
CREATE INDEX log_chunks_last ON log_chunks (group_id, last_at, id, first_at);
CREATE UNIQUE INDEX log_chunks_file ON log_chunks (file) WHERE file IS NOT NULL;

-- Files of deleted chunks. They stay for a while: a reader's snapshot may still name them.
CREATE TABLE log_dead_files (
  file TEXT PRIMARY KEY,
  dead_at INTEGER NOT NULL
);
CREATE INDEX log_dead_files_at ON log_dead_files (dead_at);
)sql";

struct Head {
  std::int64_t batches, unsealed_bytes, unsealed_batches;
  std::optional<std::int64_t> seal_at;
};

std::optional<Head> find_head(store::Tx& tx, std::int64_t group) {
  return tx.query("SELECT batches, unsealed_bytes, unsealed_batches, seal_at FROM log_heads WHERE group_id = $1", group)
      .one([](const store::Row& row) {
        return Head{row.integer(0), row.integer(1), row.integer(2), row.maybe_integer(3)};
      });
}

}  // namespace

std::string log_tables() { return kTables; }

std::int64_t counted_bytes(std::span<const NewEvent> events) {
  std::size_t bytes = 0;
  for (const NewEvent& event : events) bytes += event.message.size() + kEventOverheadBytes;
  return static_cast<std::int64_t>(bytes);
}

void open_log(store::Tx& tx, std::int64_t group) {
  tx.exec("INSERT INTO log_heads (group_id, batches, stored_bytes, unsealed_bytes, unsealed_batches)"
          " VALUES ($1, 0, 0, 0, 0)",
          group);
}

Appended append_batch(store::Tx& tx, std::int64_t group, std::int64_t stream, base::Time now,
                      std::span<const NewEvent> events) {
  const auto head = find_head(tx, group);
  CHECK(head) << "events for a group without a log";
  const std::int64_t bytes = counted_bytes(events), number = head->batches + 1;
  const std::int64_t now_ms = base::to_millis(now);
  const bool full =
      head->unsealed_bytes + bytes >= kSealBytes || head->unsealed_batches + 1 >= kSealBatches;
  const std::int64_t due = full ? now_ms : now_ms + kSealAfter.count();
  const std::int64_t seal_at = std::min(head->seal_at.value_or(due), due);
  tx.exec("UPDATE log_heads SET batches = $2, stored_bytes = stored_bytes + $3, unsealed_bytes = unsealed_bytes + $3,"
          " unsealed_batches = unsealed_batches + 1, seal_at = $4 WHERE group_id = $1",
          group, number, bytes, seal_at);
  tx.exec("INSERT INTO log_batches (group_id, number, stream, ingested_at, first_at, last_at, stored_bytes, bytes)"
          " VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
          group, number, stream, now_ms, events.front().timestamp_ms, events.back().timestamp_ms, bytes,
          base::Blob{encode_batch(events)});
  return {number, bytes, !head->seal_at || seal_at < *head->seal_at};
}

std::int64_t stored_bytes(store::Tx& tx, std::int64_t group) {
  return tx.query("SELECT stored_bytes FROM log_heads WHERE group_id = $1", group).integer();
}

std::string encode_batch(std::span<const NewEvent> events) {
  std::string columns;
  put_varint(columns, events.size());
  std::int64_t before = 0;
  std::size_t total = 0;
  for (const NewEvent& event : events) {
    put_signed(columns, wrapping_difference(event.timestamp_ms, before));
    put_varint(columns, event.message.size());
    before = event.timestamp_ms;
    total += event.message.size();
  }
  columns.reserve(columns.size() + total);
  for (const NewEvent& event : events) columns += event.message;
  std::string out;
  if (columns.size() < kCompressFrom) {
    out += kPlain;
    return out + columns;
  }
  out += kCompressed;
  put_varint(out, columns.size());
  return out + compress(columns, kBatchLevel);
}

std::optional<EventTable> decode_batch(std::string_view bytes, const BatchHead& head) {
  if (bytes.empty()) return std::nullopt;
  const char kind = bytes.front();
  bytes.remove_prefix(1);
  std::optional<std::string> plain;
  if (kind == kCompressed) {
    ColumnReader sized(bytes);
    const std::uint64_t size = sized.varint();
    if (!sized.ok() || size > kMaxEncodedBytes) return std::nullopt;
    plain = decompress(sized.rest(), size);
    if (!plain) return std::nullopt;
    bytes = *plain;
  } else if (kind != kPlain) {
    return std::nullopt;
  }
  ColumnReader columns(bytes);
  const std::uint64_t count = columns.varint();
  if (count > kMaxBatchEvents) return std::nullopt;
  EventTable table;
  table.rows.reserve(count);
  std::int64_t time = 0;
  std::uint64_t offset = 0;
  for (std::uint64_t i = 0; i < count && columns.ok(); ++i) {
    time = wrapping_sum(time, columns.signed_varint());
    const std::uint64_t size = columns.varint();
    if (size > kMaxEncodedBytes) return std::nullopt;
    table.rows.push_back({{time, head.number, static_cast<std::int64_t>(i)},
                          head.ingested_ms,
                          head.stream,
                          static_cast<std::uint32_t>(offset),
                          static_cast<std::uint32_t>(size)});
    offset += size;
    if (offset > kMaxEncodedBytes) return std::nullopt;
  }
  if (!columns.ok() || columns.rest().size() != offset) return std::nullopt;
  table.text = std::string(columns.rest());
  return table;
}

}  // namespace telemetry
