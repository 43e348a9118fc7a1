// SPDX-License-Identifier: Apache-2.0
// Group commit: many works share one transaction, which one sync makes durable. A work that fails does not
// fail the others: all are rolled back and run again, each inside a savepoint; one that took too long is left out.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <span>

#include "store/job_queue.h"

namespace store {

// The Tx of all writing works, used by one thread. An engine derives from it.
class GroupCommit : public Tx {
 public:
  // Called between two jobs: whether to commit what ran so far and leave the rest.
  using Cut = std::function<bool()>;
  // Returns how many of the jobs, from the first, it ran: the works that succeeded are durable, and each has its error.
  // A work runs more than once when it was rolled back because of another.
  std::size_t commit(std::span<Job> jobs, const Cut& cut = nullptr);

 protected:
  ~GroupCommit() override = default;

  // The engine's statements.
  virtual void execute(const char* sql) = 0;
  virtual void commit_transaction() = 0;
  // Also after the engine ended the transaction by itself. Must not throw.
  virtual void roll_back() = 0;
  // Called before and after a job's work.
  virtual void starting(const Job&) {}
  virtual void ended() {}

  // For the engine's run().
  bool begun() const { return begun_; }      // the batch has a transaction
  bool careful() const { return careful_; }  // each job has a savepoint
  bool writing() const { return writing_; }
  void set_begun() { begun_ = true; }
  // What the running job did must be undone if it fails. Opens its savepoint.
  void set_writing();
  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }
  // Call in a catch block: the statement failed, and the Tx accepts no other one. `lost`: the engine has
  // ended the whole transaction.
  void set_failure(bool lost);
  // For a transaction that cannot begin: the whole batch fails with this error.
  void set_unreachable(const Error& error);

 private:
  enum class Outcome { Done, Spoiled, Lost, OverTime };
  // Both shorten `jobs` to those that they ran.
  Outcome commit_in_time(std::span<Job>& jobs, const Cut& cut);
  Outcome commit_together(std::span<Job>& jobs, const Cut& cut);
  void fail_all(std::span<Job> jobs, const Error& error);
  void run_job(Job& job);
  void close_savepoint(bool keep);

  // Of the batch.
  bool begun_ = false;
  bool lost_ = false;     // the engine has rolled the whole transaction back
  bool spoiled_ = false;  // a job failed after it wrote, and its rows are mixed with those of others
  std::optional<Error> unreachable_;
  // Savepoints are expensive: SQLite copies every page that changes, for each job anew; PostgreSQL needs two
  // more round trips. So there are none while jobs succeed.
  bool careful_ = false;
  int careful_batches_ = 0;  // batches left to run with savepoints
  // Of the running job.
  bool writing_ = false;
  std::exception_ptr failure_;  // of a statement
};

}  // namespace store
