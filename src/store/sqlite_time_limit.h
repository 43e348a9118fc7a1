// SPDX-License-Identifier: Apache-2.0
// Ends the statements of a connection that run for too long, with OverTime.
#pragma once

#include <chrono>

#include "store/sqlite_connection.h"

namespace store {

inline constexpr std::chrono::milliseconds kUnlimitedTime = std::chrono::milliseconds::max();

class SqliteTimeLimit {
 public:
  // From now on, in time of this thread's processor.
  SqliteTimeLimit(SqliteConnection& connection, std::chrono::milliseconds most);
  ~SqliteTimeLimit();
  SqliteTimeLimit(const SqliteTimeLimit&) = delete;
  SqliteTimeLimit& operator=(const SqliteTimeLimit&) = delete;

 private:
  SqliteConnection& connection_;
  const bool limited_;
  std::chrono::nanoseconds end_{};
};

}  // namespace store
