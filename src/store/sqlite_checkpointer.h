// SPDX-License-Identifier: Apache-2.0
// Checkpoints the write-ahead log on a thread of its own, so that the writer and its queue need not wait for it.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "store/sqlite_connection.h"

namespace store {

class SqliteCheckpointer {
 public:
  // Counts the pages of the log as `writer` commits them.
  SqliteCheckpointer(const std::string& path, SqliteConnection& writer);
  ~SqliteCheckpointer();
  SqliteCheckpointer(const SqliteCheckpointer&) = delete;
  SqliteCheckpointer& operator=(const SqliteCheckpointer&) = delete;

  // Called on the writer's thread between two transactions. `tight`: the log must not grow.
  void after_commit(bool tight);

 private:
  enum class State { Idle, Requested, Stopping };

  void run();
  // Returns the number of pages of the log that are now in the database.
  static int checkpoint(SqliteConnection& connection);

  SqliteConnection connection_;
  SqliteConnection& writer_;
  // Used by the writer's thread only:
  int log_pages_ = 0;
  int tried_pages_ = 0;  // length of the log at the last attempt
  std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::Idle;
  int moved_pages_ = 0;
  std::thread thread_;
};

}  // namespace store
