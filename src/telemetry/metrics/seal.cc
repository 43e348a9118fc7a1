// SPDX-License-Identifier: Apache-2.0
#include "telemetry/metrics/seal.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "telemetry/metrics/block.h"

namespace telemetry {
namespace {

// A slice: so many points are encoded in a turn, and at most so many rows of the journal are deleted.
constexpr std::size_t kSlicePoints = 400'000;
constexpr std::int64_t kSliceBatches = 500;
// Between slices, so that other writers get their turn.
constexpr base::Duration kBetweenSlices = std::chrono::milliseconds(5);
// Readers with a snapshot from before a seal need its points in memory. No read takes that long.
constexpr base::Duration kKeepSealed = std::chrono::seconds(5);
// A series without points for so long leaves the memory. Looked for this often while there are any: only those in
// memory count as active, and a client that reached the limit of active series may send nothing that would wake the
// loop.
constexpr base::Duration kIdleAfter = std::chrono::hours(3);
constexpr base::Duration kTrimEvery = std::chrono::minutes(10);

// The journal grows by either of these between passes, unless age demands one.
constexpr std::int64_t kPassBytes = 16 << 20;
constexpr std::int64_t kPassBatches = 10'000;

struct SealedStream {
  StreamId stream = 0;
  BatchId to = 0;
  base::Time arrived;
  std::vector<EncodedBlock> blocks = {};
};

BlockPoints to_block_points(HeadStream points) {
  BlockPoints block;
  block.samples.reserve(points.points.size());
  for (const HeadPoint& point : points.points) block.samples.push_back({point.second, point.value});
  for (const HeadAggregate& point : points.aggregates) block.aggregates.push_back({point.second, *point.aggregate});
  return block;
}

void write_sealed(store::Tx& tx, const SealedStream& sealed) {
  for (const EncodedBlock& block : sealed.blocks) {
    tx.exec("INSERT INTO telemetry_blocks (stream, tier, first_at, last_at, points) VALUES ($1, 0, $2, $3, $4)",
            sealed.stream, block.first, block.last, store::BlobView{block.bytes});
  }
  tx.exec("INSERT INTO telemetry_streams (id, sealed_to) VALUES ($1, $2)"
          " ON CONFLICT (id) DO UPDATE SET sealed_to = excluded.sealed_to",
          sealed.stream, sealed.to);
  tx.exec("UPDATE telemetry_series SET active_at = $2 WHERE id = $1", series_of(sealed.stream), sealed.arrived);
}

// Deletes a slice of the journal, all of whose points are in blocks. The newest batch of the slice.
std::optional<BatchId> delete_batches(store::Tx& tx, BatchId to) {
  std::optional<BatchId> last;
  tx.query("SELECT id FROM telemetry_journal WHERE id <= $1 ORDER BY id LIMIT $2", to, kSliceBatches)
      .each([&](const store::Row& row) { last = row.integer(0); });
  if (last) tx.exec("DELETE FROM telemetry_journal WHERE id <= $1", *last);
  return last;
}

SealRule rule_for(const Head& head, base::Time now) {
  const JournalSize journal = head.journal();
  const bool full = journal.bytes >= kSealJournalBytes || journal.batches >= kSealJournalBatches;
  return {.points = kSealPoints, .oldest = full ? journal.newest : head.newest_batch_by(now - kSealAge)};
}

}  // namespace

bool is_seal_due(const Head& head, base::Time now) {
  const JournalSize journal = head.journal();
  return journal.new_bytes >= kPassBytes || journal.new_batches >= kPassBatches ||
         (journal.batches > 0 && journal.oldest_arrived <= now - kSealAge);
}

SealStep Sealer::seal_slice(Head& head, base::Time now) {
  // Shared: the store may copy its works.
  auto slice = std::make_shared<std::vector<SealedStream>>();
  for (SealCandidate& found : head.candidates(pass_->rule, kSlicePoints, pass_->cursor)) {
    slice->push_back({found.stream, found.to, found.arrived, encode_blocks(to_block_points(std::move(found.points)))});
  }
  if (pass_->cursor == 0) {
    pass_.reset();
    passed_ = true;
  }
  SealStep step{.next = now + kBetweenSlices};
  if (slice->empty()) return step;
  step.apply = [&head, slice, now](store::Tx& tx) {
    for (const SealedStream& one : *slice) write_sealed(tx, one);
    tx.on_end([&head, slice, now](bool committed) {
      if (!committed) return;
      for (const SealedStream& one : *slice) head.set_sealed(one.stream, one.to, now);
    });
  };
  return step;
}

SealStep Sealer::look(MetricStore& metrics, base::Time now) {
  Head& head = metrics.head();
  if (!pass_ && !passed_ && delete_to_ == 0 && is_seal_due(head, now)) {
    head.start_pass();
    pass_ = Pass{rule_for(head, now)};
  }
  if (pass_) return seal_slice(head, now);
  // The slices of the pass are committed by now, or failed and are still in the head.
  if (std::exchange(passed_, false)) delete_to_ = head.sealed_batch();
  JournalSize journal = head.journal();
  if (journal.batches > 0 && journal.oldest <= delete_to_) {
    SealStep step{.next = now + kBetweenSlices};
    step.apply = [&head, to = delete_to_](store::Tx& tx) {
      const auto deleted = delete_batches(tx, to);
      tx.on_end([&head, to, deleted](bool committed) {
        if (committed) head.forget_batches(deleted.value_or(to));
      });
    };
    return step;
  }
  delete_to_ = 0;
  SealStep step;
  if (journal.batches > 0) step.next = std::max(journal.oldest_arrived + kSealAge, now + kKeepSealed);
  if (head.trim(now - kKeepSealed, now - kIdleAfter)) step.next = now + kKeepSealed;
  if (head.size("").series > 0) step.next = std::min(step.next.value_or(now + kTrimEvery), now + kTrimEvery);
  return step;
}

}  // namespace telemetry
