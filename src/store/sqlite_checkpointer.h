// SPDX-License-Identifier: Apache-2.0
// Moves the write-ahead log into the database beside the writer, which would
// otherwise stop for it, and every work behind it.
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

  // For the writer's thread, between two transactions.
  void after_commit();

 private:
  enum class State { Idle, Asked, Stopping };

  void run();
  // Returns how many pages of the log are in the database now.
  static int checkpoint(SqliteConnection& connection);

  SqliteConnection connection_;
  SqliteConnection& writer_;
  // The writer's thread alone:
  int log_pages_ = 0;
  int tried_pages_ = 0;  // the log's length when it was last tried to move it
  std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::Idle;
  int moved_pages_ = 0;
  std::thread thread_;
};

}  // namespace store
