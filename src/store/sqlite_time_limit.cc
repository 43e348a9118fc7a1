// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_time_limit.h"

#include "store/work_time.h"

namespace store {

SqliteTimeLimit::SqliteTimeLimit(SqliteConnection& connection, std::chrono::milliseconds most)
    : connection_(connection), limited_(most != kUnlimitedTime) {
  if (!limited_) return;
  end_ = thread_time() + most;
  auto over_time = [](void* end) { return thread_time() > *static_cast<std::chrono::nanoseconds*>(end) ? 1 : 0; };
  sqlite3_progress_handler(connection_.handle(), kStepsBetweenLooks, over_time, &end_);
}

SqliteTimeLimit::~SqliteTimeLimit() {
  if (limited_) sqlite3_progress_handler(connection_.handle(), 0, nullptr, nullptr);
}

}  // namespace store
