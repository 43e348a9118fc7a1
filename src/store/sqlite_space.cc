// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_space.h"

#include <algorithm>
#include <filesystem>

#include "base/log.h"

namespace store {
namespace {

constexpr std::uint64_t kPageBytes = 4096;
// The most that a request of 1 MiB needs, first in the log and then in the database, and half as much to spare.
constexpr std::uint64_t kWorkBytes = 3 << 20;

// In pages: of one work, and of all since space is scarce.
constexpr std::uint64_t kMostGrowth = 8, kMostGrowthInAll = 64;

class NoGrowth : public Error {
 public:
  NoGrowth() : Error(ErrorKind::Full, "the rest of the disk is for requests that free space") {}
};

// With more space the work might succeed.
bool found_disk_full(const Job& job) {
  if (!job.error) return false;
  try {
    std::rethrow_exception(job.error);
  } catch (const NoGrowth&) {
    return false;
  } catch (const Error& error) {
    return error.kind() == ErrorKind::Full;
  } catch (...) {
    return false;
  }
}

}  // namespace

SqliteSpace::SqliteSpace(std::string path, SqliteConnection& connection, base::DiskSpace* space)
    : path_(std::move(path)), connection_(connection), space_(space) {
  measure();
}

std::size_t SqliteSpace::max_batch(std::size_t usual) const {
  if (!space_ || !space_->is_near()) return usual;
  for (const std::size_t works : {256u, 64u, 16u, 4u}) {
    if (space_->has_room(works * kWorkBytes)) return std::min(works, usual);
  }
  return 1;
}

bool SqliteSpace::is_scarce() const {
  if (!space_ || !space_->is_low()) return false;
  const auto disk = base::DiskSpace::look_at(path_);
  return disk && disk->free_bytes < space_->reserve() / 4 + pending_bytes_;
}

// The server's own works are not limited: they store what has happened, and free what was deleted.
void SqliteSpace::limit_growth(std::vector<Job>& batch) {
  if (!is_scarce()) {
    least_pages_.reset();
    return;
  }
  for (Job& job : batch) {
    if (job.account.empty()) continue;
    job.work = [this, work = std::move(job.work)](Tx& tx) { run_limited(work, tx); };
  }
}

void SqliteSpace::run_limited(const Store::Work& work, Tx& tx) {
  const std::uint64_t before = used_pages();
  least_pages_ = std::min(least_pages_.value_or(before), before);
  work(tx);
  const std::uint64_t after = used_pages();
  const bool little = after <= before + kMostGrowth && after <= *least_pages_ + kMostGrowthInAll;
  if (after > before && !little) throw NoGrowth();
}

void SqliteSpace::rescue(SqliteWriter& writer, std::vector<Job>& batch) {
  if (!space_) return;
  const auto failed = std::stable_partition(batch.begin(), batch.end(), [](const Job& job) { return !found_disk_full(job); });
  if (failed == batch.end() || !space_->release()) return;
  writer.commit({failed, batch.end()});
}

void SqliteSpace::measure() {
  if (!space_) return;
  if (space_->is_near()) measure_database();
  space_->measure();
}

void SqliteSpace::measure_database() {
  try {
    std::error_code missing;
    const std::uint64_t file = std::filesystem::file_size(path_, missing);
    const std::uint64_t whole = pragma("PRAGMA page_count") * kPageBytes;
    pending_bytes_ = missing || whole < file ? 0 : whole - file;
    space_->set_database(pending_bytes_, pragma("PRAGMA freelist_count") * kPageBytes);
  } catch (const Error& error) {
    base::log_warn("the database's size is unknown", {{"error", error.what()}});
  }
}

std::uint64_t SqliteSpace::pragma(const char* sql) {
  std::int64_t value = 0;
  connection_.prepare(sql).run({}, [&](const Row& row) { value = row.integer(0); });
  return static_cast<std::uint64_t>(value);
}

}  // namespace store
