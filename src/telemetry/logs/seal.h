// SPDX-License-Identifier: Apache-2.0
// How batches become chunks. A file is written and synced first, then one transaction adds the rows of the chunks and
// deletes the batches. A crash in between leaves a file that no row names: the next start deletes it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "store/store.h"
#include "telemetry/logs/chunk_files.h"

namespace telemetry {

// A group is sealed when it has this much, or when its oldest batch is this old: large chunks are small on disk and
// fast to search, and a read looks at all unsealed batches.
inline constexpr std::int64_t kSealBytes = 8 << 20;
inline constexpr std::int64_t kSealBatches = 2000;
inline constexpr base::Duration kSealAfter = std::chrono::hours(24);

// The sealer waits for this.
inline constexpr char kSealTopic[] = "logs/seal";

struct NewChunk {
  std::int64_t first_ms = 0, last_ms = 0, events = 0, stored_bytes = 0, size = 0;
  std::string file;   // "": small, in `bytes`
  std::string bytes;
  std::string streams;
};

struct SealPlan {
  std::int64_t group = 0;
  std::int64_t first_batch = 0, last_batch = 0, batches = 0, stored_bytes = 0;
  std::vector<NewChunk> chunks;

  std::vector<std::string> files() const;
};

struct DueGroup {
  std::int64_t group = 0;
  std::int64_t seal_at_ms = 0;
};
// The group that has waited longest for the sealer.
std::optional<DueGroup> next_due_group(store::Tx& tx);

// Reads a bounded number of the group's oldest batches, encodes their events and writes the files of the chunks.
SealPlan plan_seal(store::Tx& tx, ChunkFiles& files, std::int64_t group);
// Does nothing where the batches are no longer there.
void apply_seal(store::Tx& tx, const SealPlan& plan, base::Time now);

// Whether a chunk has this file.
bool is_chunk_file(store::Tx& tx, const std::string& file);
// Files of chunks whose names are greater than `after`, in order.
std::vector<std::string> chunk_files_after(store::Tx& tx, const std::string& after, std::int64_t most);

}  // namespace telemetry
