// SPDX-License-Identifier: Apache-2.0
#include "stored_size.h"

#include <stdexcept>

#include "store/store.h"
#include "telemetry/metrics/block.h"
#include "telemetry/metrics/journal.h"

namespace bench {
namespace {

// Of a row: its numbers, its header, its entries in two indexes, and its share of the pages above.
constexpr std::int64_t kRowBytes = 64;

}  // namespace

StoredSize stored_size(const std::string& folder) {
  StoredSize size;
  const auto store = store::open_sqlite(folder, {});
  store->read_now([&](store::Tx& tx) {
    tx.query("SELECT points FROM telemetry_blocks WHERE tier = 0").each([&](const store::Row& row) {
      const auto points = telemetry::decode_block(row.text(0), false);
      if (!points) throw std::runtime_error("a damaged block");
      ++size.blocks;
      size.points += static_cast<std::int64_t>(points->samples.size() + points->aggregates.size());
      size.bytes += static_cast<std::int64_t>(row.text(0).size()) + kRowBytes;
    });
    tx.query("SELECT points FROM telemetry_journal").each([&](const store::Row& row) {
      if (const auto batch = telemetry::decode_batch(row.text(0))) size.journal_points += static_cast<std::int64_t>(batch->size());
    });
  });
  return size;
}

}  // namespace bench
