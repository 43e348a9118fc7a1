// SPDX-License-Identifier: Apache-2.0
// The chunks and batches that a read merges.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/store.h"
#include "telemetry/logs/batch.h"
#include "telemetry/logs/reader.h"

namespace telemetry {

// A chunk, or a batch, as its row describes it.
struct SourceRow {
  bool is_chunk = false;
  std::int64_t id = 0;
  std::int64_t first_ms = 0, last_ms = 0;
  std::int64_t stored_bytes = 0;
  BatchHead batch = {};
};

// No chunk covers more time than this.
inline constexpr std::int64_t kMaxChunkSpanMs = 16LL * 24 * 3600 * 1000;

// The sources of a range, in the order in which a read needs them: by first_ms, or backward by last_ms. Rows of chunks
// are loaded as needed, a page at a time.
class SourceList {
 public:
  SourceList(store::Tx& tx, const LogRange& range);

  // nullptr: there is no more.
  const SourceRow* front();
  void pop();

 private:
  void load_batches();
  void load_chunks();
  bool comes_first(const SourceRow& a, const SourceRow& b) const;

  store::Tx& tx_;
  const LogRange& range_;
  std::vector<SourceRow> batches_;  // the next one last
  std::deque<SourceRow> chunks_;
  bool more_chunks_ = true;
  std::int64_t last_bound_ = 0, last_id_ = 0;  // of the last chunk that was loaded
};

struct Bounds {
  EventKey low, high;  // inclusive
};

// Its events that a range wants, in the range's order.
struct OpenSource {
  EventTable table;
  std::vector<std::uint32_t> picks;  // rows; the next one last
  std::size_t bytes = 0;

  const EventTable::Row& row() const { return table.rows[picks.back()]; }
};

// nullptr where it has no event that is wanted. Adds the bytes that it decompressed. Throws store::Error (Damaged).
std::unique_ptr<OpenSource> open_source(store::Tx& tx, const ChunkFiles& files, const SourceRow& row,
                                        const LogRange& range, const Bounds& bounds, std::uint64_t& read_bytes);

// The numbers of a chunk's streams, sorted, as its row has them.
std::string encode_streams(const std::vector<std::int64_t>& streams);
bool has_stream(std::string_view encoded, const std::vector<std::int64_t>& wanted);

}  // namespace telemetry
