// SPDX-License-Identifier: Apache-2.0
// Group commit: many works, each in its own savepoint of one transaction, made
// durable by one sync.
#pragma once

#include <exception>
#include <span>

#include "store/job_queue.h"
#include "store/sqlite_connection.h"

namespace store {

class SqliteWriter final : public Tx {
 public:
  explicit SqliteWriter(SqliteConnection& connection) : connection_(connection) {}

  // When it returns, what succeeded is durable, and each job has its error. Works
  // run more than once where the engine has undone them on account of another.
  void commit(std::span<Job> jobs);

  std::int64_t run(std::string_view sql, std::span<const Param> params, const EachRow& each) override;

 private:
  bool commit_together(std::span<Job> jobs);
  void run_job(Job& job);
  void open_savepoint();
  void close_savepoint(bool keep);
  void roll_back();
  void execute(std::string_view sql);

  SqliteConnection& connection_;
  // Of the batch. Nothing is begun before the first statement that writes, so that
  // works that only read cost no sync.
  bool begun_ = false;
  bool lost_ = false;  // the engine has rolled the whole transaction back
  // Of the job that runs.
  bool savepoint_ = false;
  std::exception_ptr failure_;  // of a statement: the Tx is spent
};

}  // namespace store
