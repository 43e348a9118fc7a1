// SPDX-License-Identifier: Apache-2.0
#include "telemetry/logs/seal.h"

#include <algorithm>
#include <span>
#include <system_error>

#include "telemetry/logs/batch.h"
#include "telemetry/logs/chunk.h"
#include "telemetry/logs/source.h"

namespace telemetry {
namespace {

// Batches of one plan: they are in memory together.
constexpr std::int64_t kPlanBytes = 16 << 20, kPlanBatches = 4 * kSealBatches;
// A chunk ends when it has this much, or at a gap in time where it has this little.
constexpr std::size_t kChunkText = 4u << 20, kSmallChunkText = 256u << 10;
constexpr std::int64_t kGapMs = 10 * 60 * 1000;
// Smaller chunks are part of their rows: a file costs a sync of its own.
constexpr std::size_t kMaxRowBytes = 64u << 10;

struct Gathered {
  EventTable events;  // in order
  SealPlan plan;
};

Gathered gather(store::Tx& tx, std::int64_t group) {
  Gathered gathered;
  SealPlan& plan = gathered.plan;
  plan.group = group;
  struct Size {
    std::int64_t number, bytes;
  };
  const auto sizes = tx.query("SELECT number, stored_bytes FROM log_batches WHERE group_id = $1 ORDER BY number LIMIT $2",
                              group, kPlanBatches)
                         .all([](const store::Row& row) { return Size{row.integer(0), row.integer(1)}; });
  for (const Size& size : sizes) {
    if (plan.batches > 0 && plan.stored_bytes + size.bytes > kPlanBytes) break;
    if (plan.batches == 0) plan.first_batch = size.number;
    plan.last_batch = size.number;
    plan.stored_bytes += size.bytes;
    ++plan.batches;
  }
  if (plan.batches == 0) return gathered;
  EventTable& all = gathered.events;
  tx.query("SELECT number, stream, ingested_at, bytes FROM log_batches WHERE group_id = $1 AND number >= $2"
           " AND number <= $3 ORDER BY number",
           group, plan.first_batch, plan.last_batch)
      .each([&](const store::Row& row) {
        auto batch = decode_batch(row.text(3), {row.integer(0), row.integer(1), row.integer(2)});
        if (!batch) throw store::Error(store::ErrorKind::Damaged, "a batch of a log is damaged");
        const auto offset = static_cast<std::uint32_t>(all.text.size());
        for (EventTable::Row& event : batch->rows) {
          event.offset += offset;
          all.rows.push_back(event);
        }
        all.text += batch->text;
      });
  std::sort(all.rows.begin(), all.rows.end(),
            [](const EventTable::Row& a, const EventTable::Row& b) { return a.key < b.key; });
  return gathered;
}

// How many of the rows, which are in order, the next chunk has.
std::size_t chunk_length(std::span<const EventTable::Row> rows) {
  std::size_t text = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int64_t time = rows[i].key.timestamp_ms;
    const bool gap = i > 0 && text >= kSmallChunkText && time - rows[i - 1].key.timestamp_ms > kGapMs;
    const bool long_span = time - rows[0].key.timestamp_ms > kMaxChunkSpanMs;
    if (i > 0 && (gap || long_span || text + rows[i].size > kChunkText || i >= kMaxChunkEvents)) return i;
    text += rows[i].size;
  }
  return rows.size();
}

NewChunk make_chunk(std::span<const EventTable::Row> rows, std::string_view text) {
  NewChunk chunk;
  chunk.first_ms = rows.front().key.timestamp_ms;
  chunk.last_ms = rows.back().key.timestamp_ms;
  chunk.events = static_cast<std::int64_t>(rows.size());
  std::vector<std::int64_t> streams;
  for (const EventTable::Row& row : rows) {
    chunk.stored_bytes += static_cast<std::int64_t>(row.size + kEventOverheadBytes);
    if (streams.empty() || streams.back() != row.stream) streams.push_back(row.stream);
  }
  std::sort(streams.begin(), streams.end());
  streams.erase(std::unique(streams.begin(), streams.end()), streams.end());
  chunk.streams = encode_streams(streams);
  chunk.bytes = encode_chunk(rows, text);
  chunk.size = static_cast<std::int64_t>(chunk.bytes.size());
  return chunk;
}

// The files of a plan. They are deleted again if the plan does not get complete: a full disk must not get fuller with
// every attempt.
class NewFiles {
 public:
  explicit NewFiles(objects::Files& files) : files_(files) {}
  ~NewFiles() {
    for (const std::string& name : names_) {
      try {
        files_.drop(name);
      } catch (const std::system_error&) {
        // The next start deletes it.
      }
    }
  }
  NewFiles(const NewFiles&) = delete;
  NewFiles& operator=(const NewFiles&) = delete;

  void write(NewChunk& chunk) {
    files_.require_room(chunk.bytes.size());
    chunk.file = objects::Files::new_name();
    base::File file = files_.create(chunk.file);
    names_.push_back(chunk.file);
    file.write_all(chunk.bytes);
    file.sync();
    chunk.bytes.clear();
  }
  void complete() {
    if (!names_.empty()) files_.sync_names();
    names_.clear();
  }

 private:
  objects::Files& files_;
  std::vector<std::string> names_;
};

void insert_chunk(store::Tx& tx, std::int64_t group, const NewChunk& chunk) {
  const bool in_file = !chunk.file.empty();
  tx.exec("INSERT INTO log_chunks (group_id, first_at, last_at, events, stored_bytes, size, file, bytes, streams)"
          " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
          group, chunk.first_ms, chunk.last_ms, chunk.events, chunk.stored_bytes, chunk.size,
          in_file ? std::optional(chunk.file) : std::nullopt,
          in_file ? std::nullopt : std::optional(base::Blob{chunk.bytes}), base::Blob{chunk.streams});
}

}  // namespace

std::vector<std::string> SealPlan::files() const {
  std::vector<std::string> names;
  for (const NewChunk& chunk : chunks) {
    if (!chunk.file.empty()) names.push_back(chunk.file);
  }
  return names;
}

std::optional<DueGroup> next_due_group(store::Tx& tx) {
  return tx.query("SELECT group_id, seal_at FROM log_heads WHERE seal_at IS NOT NULL ORDER BY seal_at LIMIT 1")
      .one([](const store::Row& row) { return DueGroup{row.integer(0), row.integer(1)}; });
}

SealPlan plan_seal(store::Tx& tx, ChunkFiles& files, std::int64_t group) {
  Gathered gathered = gather(tx, group);
  SealPlan plan = std::move(gathered.plan);
  std::span<const EventTable::Row> rows = gathered.events.rows;
  NewFiles written(files.files);
  while (!rows.empty()) {
    const std::size_t length = chunk_length(rows);
    NewChunk chunk = make_chunk(rows.first(length), gathered.events.text);
    if (chunk.bytes.size() > kMaxRowBytes) written.write(chunk);
    plan.chunks.push_back(std::move(chunk));
    rows = rows.subspan(length);
  }
  written.complete();
  return plan;
}

void apply_seal(store::Tx& tx, const SealPlan& plan, base::Time now) {
  const std::int64_t there =
      tx.query("SELECT count(*) FROM log_batches WHERE group_id = $1 AND number >= $2 AND number <= $3", plan.group,
               plan.first_batch, plan.last_batch)
          .integer();
  if (there != plan.batches) return;
  for (const NewChunk& chunk : plan.chunks) insert_chunk(tx, plan.group, chunk);
  tx.exec("DELETE FROM log_batches WHERE group_id = $1 AND number >= $2 AND number <= $3", plan.group,
          plan.first_batch, plan.last_batch);
  // What arrived meanwhile waits anew, unless it is enough already.
  tx.exec("UPDATE log_heads SET unsealed_bytes = unsealed_bytes - $2, unsealed_batches = unsealed_batches - $3,"
          " seal_at = CASE WHEN unsealed_batches = $3 THEN NULL"
          " WHEN unsealed_bytes - $2 >= $4 OR unsealed_batches - $3 >= $5 THEN $6 ELSE $7 END WHERE group_id = $1",
          plan.group, plan.stored_bytes, plan.batches, kSealBytes, kSealBatches, now, now + kSealAfter);
}

std::vector<std::string> chunk_files_after(store::Tx& tx, const std::string& after, std::int64_t most) {
  return tx.query("SELECT file FROM log_chunks WHERE file > $1 AND file IS NOT NULL ORDER BY file LIMIT $2", after, most)
      .all([](const store::Row& row) { return row.str(0); });
}

bool is_chunk_file(store::Tx& tx, const std::string& file) {
  return tx.query("SELECT 1 FROM log_chunks WHERE file = $1", file).integer() == 1;
}

}  // namespace telemetry
