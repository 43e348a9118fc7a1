// SPDX-License-Identifier: Apache-2.0
#include "telemetry/logs/expire.h"

#include <optional>

namespace telemetry {
namespace {

struct OldChunk {
  std::int64_t id = 0, stored_bytes = 0;
  std::optional<std::string> file;
};

struct Deleted {
  std::int64_t count = 0, bytes = 0;
};

Deleted delete_chunks(store::Tx& tx, std::int64_t group, std::int64_t before_ms, std::int64_t most,
                           base::Time now) {
  const auto old = tx.query("SELECT id, stored_bytes, file FROM log_chunks WHERE group_id = $1 AND last_at < $2"
                            " ORDER BY last_at LIMIT $3",
                            group, before_ms, most)
                       .all([](const store::Row& row) {
                         return OldChunk{row.integer(0), row.integer(1), row.maybe_str(2)};
                       });
  std::int64_t bytes = 0;
  for (const OldChunk& chunk : old) {
    tx.exec("DELETE FROM log_chunks WHERE id = $1", chunk.id);
    if (chunk.file) tx.exec("INSERT INTO log_dead_files (file, dead_at) VALUES ($1, $2)", *chunk.file, now);
    bytes += chunk.stored_bytes;
  }
  tx.exec("UPDATE log_heads SET stored_bytes = stored_bytes - $2 WHERE group_id = $1", group, bytes);
  return {std::ssize(old), bytes};
}

Deleted delete_batches(store::Tx& tx, std::int64_t group, std::int64_t before_ms, std::int64_t most) {
  Deleted deleted;
  tx.query("DELETE FROM log_batches WHERE id IN (SELECT id FROM log_batches WHERE group_id = $1 AND last_at < $2"
           " LIMIT $3) RETURNING stored_bytes",
           group, before_ms, most)
      .each([&](const store::Row& row) {
        ++deleted.count;
        deleted.bytes += row.integer(0);
      });
  if (deleted.count == 0) return deleted;
  tx.exec("UPDATE log_heads SET stored_bytes = stored_bytes - $2, unsealed_bytes = unsealed_bytes - $2,"
          " seal_at = CASE WHEN unsealed_batches = $3 THEN NULL ELSE seal_at END,"
          " unsealed_batches = unsealed_batches - $3 WHERE group_id = $1",
          group, deleted.bytes, deleted.count);
  return deleted;
}

}  // namespace

bool has_expired(store::Tx& tx, std::int64_t group, std::int64_t before_ms) {
  return tx.query("SELECT 1 FROM log_chunks WHERE group_id = $1 AND last_at < $2 LIMIT 1", group, before_ms)
                 .integer() == 1 ||
         tx.query("SELECT 1 FROM log_batches WHERE group_id = $1 AND last_at < $2 LIMIT 1", group, before_ms)
                 .integer() == 1;
}

std::int64_t delete_expired(store::Tx& tx, std::int64_t group, std::int64_t before_ms, std::int64_t most, base::Time now) {
  const Deleted chunks = delete_chunks(tx, group, before_ms, most, now);
  return chunks.bytes + delete_batches(tx, group, before_ms, most).bytes;
}

LogSlice delete_log_slice(store::Tx& tx, std::int64_t group, std::int64_t most, base::Time now) {
  const Deleted chunks = delete_chunks(tx, group, INT64_MAX, most, now);
  const Deleted batches = delete_batches(tx, group, INT64_MAX, most);
  if (chunks.count + batches.count > 0) return {false, chunks.bytes + batches.bytes};
  tx.exec("DELETE FROM log_heads WHERE group_id = $1", group);
  return {true, 0};
}

std::vector<std::string> dead_files(store::Tx& tx, base::Time deleted_before, std::int64_t most) {
  return tx.query("SELECT file FROM log_dead_files WHERE dead_at < $1 ORDER BY dead_at LIMIT $2", deleted_before, most)
      .all([](const store::Row& row) { return row.str(0); });
}

std::optional<base::Time> oldest_dead_file(store::Tx& tx) {
  return tx.query("SELECT dead_at FROM log_dead_files ORDER BY dead_at LIMIT 1").one([](const store::Row& row) {
    return row.time(0);
  });
}

void forget_dead_file(store::Tx& tx, const std::string& file) {
  tx.exec("DELETE FROM log_dead_files WHERE file = $1", file);
}

}  // namespace telemetry
