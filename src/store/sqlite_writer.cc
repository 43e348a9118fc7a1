// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_writer.h"

#include "base/check.h"
#include "store/sqlite_wal_buffer.h"

namespace store {
namespace {

// After one has failed: who sends such things sends more of them.
constexpr int kCarefulBatches = 64;

void end_all(std::span<Job> jobs) {
  for (Job& job : jobs) job.end(true);
}

// The last one first: each finds things as it left them.
void undo_all(std::span<Job> jobs) {
  for (auto job = jobs.rbegin(); job != jobs.rend(); ++job) job->end(false);
}

}  // namespace

void SqliteWriter::commit(std::span<Job> jobs) {
  careful_ = careful_batches_ > 0 && jobs.size() > 1;
  if (careful_batches_ > 0) --careful_batches_;
  Outcome outcome = commit_together(jobs);
  if (outcome == Outcome::Spoiled) {
    careful_ = true;
    careful_batches_ = kCarefulBatches;
    outcome = commit_together(jobs);
  }
  if (outcome == Outcome::Done || jobs.size() == 1) return;
  // One of them (too large for the disk, say) took the others down. Alone, each
  // gets the answer that is its own; this is slow, and rare.
  careful_ = false;
  for (Job& job : jobs) commit_together({&job, 1});
}

// Unless it is Done none of it is there, and what any of them saw of another is no longer
// true: one of them has undone the transaction for all (Lost), or has to be undone (Spoiled).
SqliteWriter::Outcome SqliteWriter::commit_together(std::span<Job> jobs) {
  begun_ = lost_ = spoiled_ = false;
  for (Job& job : jobs) {
    run_job(job);
    if (lost_ || spoiled_) roll_back();
    if (spoiled_ && jobs.size() == 1) return Outcome::Done;
    if (lost_ || spoiled_) {
      undo_all(jobs);
      return lost_ ? Outcome::Lost : Outcome::Spoiled;
    }
  }
  if (!begun_) {
    end_all(jobs);
    return Outcome::Done;
  }
  try {
    execute("COMMIT");
  } catch (const Error& error) {
    for (Job& job : jobs) job.error = std::make_exception_ptr(error);  // to each its own
    roll_back();
    undo_all(jobs);
    // A constraint that is checked at the end: it may be only one that broke it.
    return error.kind() == ErrorKind::Conflict ? Outcome::Lost : Outcome::Done;
  }
  end_all(jobs);
  return Outcome::Done;
}

void SqliteWriter::run_job(Job& job) {
  writing_ = false;
  try {
    job.work(*this);
    job.error = failure_;
  } catch (...) {
    job.error = std::current_exception();
  }
  failure_ = nullptr;
  job.ends = take_ends();
  if (writing_ && !lost_ && careful_) {
    try {
      close_savepoint(!job.error);
    } catch (const Error&) {
      job.error = std::current_exception();
      roll_back();
      lost_ = true;
    }
  }
  spoiled_ = writing_ && !lost_ && !careful_ && job.error;
  // Told at once: the next in this batch must not find taken what was not taken.
  if (job.error) job.end(false);
}

std::int64_t SqliteWriter::run(std::string_view sql, std::span<const Param> params, const EachRow& each) {
  if (failure_) std::rethrow_exception(failure_);
  try {
    auto statement = connection_.prepare(sql);
    if (statement.writes() && !writing_) begin_writing();
    return statement.run(params, each);
  } catch (const Error&) {
    failure_ = std::current_exception();
    lost_ = begun_ && connection_.autocommit();
    throw;
  }
}

std::int64_t SqliteWriter::run_insert(std::string_view sql, std::span<const Param> params) {
  const std::int64_t rows = run(sql, params, nullptr);
  CHECK(rows == 1) << "not an insert of one row: " << sql;
  return sqlite3_last_insert_rowid(connection_.handle());
}

void SqliteWriter::begin_writing() {
  if (!begun_) execute("BEGIN IMMEDIATE");
  begun_ = true;
  if (careful_) execute("SAVEPOINT work");
  writing_ = true;
}

void SqliteWriter::close_savepoint(bool keep) {
  if (!keep) execute("ROLLBACK TO work");
  execute("RELEASE work");
}

// Where the engine has done so by itself, what it left.
void SqliteWriter::roll_back() {
  forget_unwritten(connection_.handle());
  if (connection_.autocommit()) return;
  try {
    execute("ROLLBACK");
  } catch (const Error& error) {
    // All later works would join a transaction that was answered as failed.
    CHECK(false) << "cannot roll back: " << error.what();
  }
}

void SqliteWriter::execute(std::string_view sql) { connection_.prepare(sql).run({}, nullptr); }

}  // namespace store
