// SPDX-License-Identifier: Apache-2.0
// Keeps SQLite working on a full disk: reports how the database uses it, and releases the reserve for works that fail.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/disk_space.h"
#include "store/job_queue.h"
#include "store/sqlite_connection.h"
#include "store/sqlite_writer.h"

namespace store {

// All functions run on the writer's thread, between two transactions.
class SqliteSpace {
 public:
  // `space` may be null: then nothing is done.
  SqliteSpace(std::string path, SqliteConnection& connection, base::DiskSpace* space);

  bool is_tight() const { return space_ && space_->is_tight(); }
  // How many works may share a transaction: all of them were accepted before it is known what they need together.
  std::size_t max_batch(std::size_t usual) const;
  // Keeps the last quarter of the reserve for works that free space: those of accounts fail that make the database grow
  // by more than the little that a deletion may need. What a request is called does not tell: a deletion may also store
  // delete markers and events.
  void limit_growth(std::vector<Job>& batch);
  // Works that found the disk full run again with the reserve.
  void rescue(SqliteWriter& writer, std::vector<Job>& batch);
  // After the checkpoint, if there was one.
  void measure();

 private:
  bool is_scarce() const;
  void run_limited(const Store::Work& work, Tx& tx);
  std::uint64_t used_pages() { return pragma("PRAGMA page_count") - pragma("PRAGMA freelist_count"); }
  void measure_database();
  std::uint64_t pragma(const char* sql);

  std::string path_;
  SqliteConnection& connection_;
  base::DiskSpace* space_;
  std::uint64_t pending_bytes_ = 0;  // that the database file will grow by
  std::optional<std::uint64_t> least_pages_;  // in use while space is scarce
};

}  // namespace store
