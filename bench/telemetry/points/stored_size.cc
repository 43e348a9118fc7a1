// SPDX-License-Identifier: Apache-2.0
#include "stored_size.h"

#include <sqlite3.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "telemetry/metrics/block.h"
#include "telemetry/metrics/journal.h"

namespace bench {
namespace {

// Of a row: its numbers, its header, its entries in two indexes, and its share of the pages above.
constexpr std::int64_t kRowBytes = 64;

// Calls back with the blob of each row.
void each_blob(sqlite3* database, const char* sql, const std::function<void(std::string_view)>& fn) {
  sqlite3_stmt* made = nullptr;
  if (sqlite3_prepare_v2(database, sql, -1, &made, nullptr) != SQLITE_OK) {
    throw std::runtime_error(sqlite3_errmsg(database));
  }
  const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(made, &sqlite3_finalize);
  while (sqlite3_step(made) == SQLITE_ROW) {
    fn({static_cast<const char*>(sqlite3_column_blob(made, 0)), static_cast<std::size_t>(sqlite3_column_bytes(made, 0))});
  }
}

}  // namespace

StoredSize stored_size(const std::string& folder) {
  StoredSize size;
  sqlite3* opened = nullptr;
  const int status = sqlite3_open_v2((folder + "/stoker.db").c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> database(opened, &sqlite3_close);
  if (status != SQLITE_OK) throw std::runtime_error("cannot open the server's database");
  each_blob(opened, "SELECT points FROM telemetry_blocks WHERE tier = 0", [&](std::string_view bytes) {
    const auto points = telemetry::decode_block(bytes, false);
    if (!points) throw std::runtime_error("a damaged block");
    ++size.blocks;
    size.points += static_cast<std::int64_t>(points->samples.size() + points->aggregates.size());
    size.bytes += static_cast<std::int64_t>(bytes.size()) + kRowBytes;
  });
  each_blob(opened, "SELECT points FROM telemetry_journal", [&](std::string_view bytes) {
    if (const auto batch = telemetry::decode_batch(bytes)) size.journal_points += static_cast<std::int64_t>(batch->size());
  });
  return size;
}

}  // namespace bench
