// SPDX-License-Identifier: Apache-2.0
// Group commit: many works in one transaction, made durable by one sync. One that fails
// takes nobody along: all are undone, and run again, each in its own savepoint.
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
  // run more than once where they were undone on account of another.
  void commit(std::span<Job> jobs);

  std::int64_t run(std::string_view sql, std::span<const Param> params, const EachRow& each) override;
  // RETURNING would make a table of its own to return from.
  std::int64_t run_insert(std::string_view sql, std::span<const Param> params) override;

 private:
  enum class Outcome { Done, Spoiled, Lost };
  Outcome commit_together(std::span<Job> jobs);
  void run_job(Job& job);
  void begin_writing();
  void close_savepoint(bool keep);
  void roll_back();
  void execute(std::string_view sql);

  SqliteConnection& connection_;
  // Of the batch. Nothing is begun before the first statement that writes, so that
  // works that only read cost no sync.
  bool begun_ = false;
  bool lost_ = false;     // the engine has rolled the whole transaction back
  bool spoiled_ = false;  // a job failed, and what it wrote is among what others wrote
  // A savepoint keeps a copy of every page that changes, for each job anew, which is much
  // of what a small job costs. So there are none as long as jobs succeed.
  bool careful_ = false;
  int careful_batches_ = 0;  // for so many more
  // Of the job that runs.
  bool writing_ = false;
  std::exception_ptr failure_;  // of a statement: the Tx is spent
};

}  // namespace store
