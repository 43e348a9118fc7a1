// SPDX-License-Identifier: Apache-2.0
// Group commit on SQLite.
#pragma once

#include "store/account_work.h"
#include "store/group_commit.h"
#include "store/sqlite_connection.h"

namespace store {

class SqliteWriter final : public GroupCommit {
 public:
  explicit SqliteWriter(SqliteConnection& connection, std::chrono::milliseconds most_time = kMaxWriteTime);
  ~SqliteWriter() override;

  std::int64_t run(std::string_view sql, std::span<const Param> params, const EachRow& each) override;
  // By last_insert_rowid: RETURNING would fill a temporary table first.
  std::int64_t run_insert(std::string_view sql, std::span<const Param> params) override;

 private:
  void execute(const char* sql) override;
  void commit_transaction() override;
  void roll_back() override;
  void starting(const Job& job) override;
  void ended() override { limited_ = false; }

  SqliteConnection& connection_;
  const std::chrono::milliseconds most_time_;  // of a job of an account
  bool limited_ = false;                // the running job is one
  std::chrono::nanoseconds started_{};  // of the running job, in thread_time()
};

}  // namespace store
