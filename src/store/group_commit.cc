// SPDX-License-Identifier: Apache-2.0
#include "store/group_commit.h"

#include "store/account_work.h"

namespace store {
namespace {

// After a failure: clients that send failing requests send more of them.
constexpr int kCarefulBatches = 64;

bool is_over_time(const std::exception_ptr& failure) {
  if (!failure) return false;
  try {
    std::rethrow_exception(failure);
  } catch (const OverTime&) {
    return true;
  } catch (...) {
    return false;
  }
}

void end_all(std::span<Job> jobs) {
  for (Job& job : jobs) job.end(true);
}

// In reverse order, so that each finds the state that it left.
void undo_all(std::span<Job> jobs) {
  for (auto job = jobs.rbegin(); job != jobs.rend(); ++job) job->end(false);
}

}  // namespace

std::size_t GroupCommit::commit(std::span<Job> jobs, const Cut& cut) {
  careful_ = careful_batches_ > 0 && jobs.size() > 1;
  if (careful_batches_ > 0) --careful_batches_;
  Outcome outcome = commit_in_time(jobs, cut);
  if (outcome == Outcome::Spoiled) {
    careful_ = true;
    careful_batches_ = kCarefulBatches;
    outcome = commit_in_time(jobs, cut);
  }
  if (outcome == Outcome::Done || jobs.size() == 1) return jobs.size();
  // One job (too large for the disk, for example) ended the transaction of all. Alone, each gets its own
  // result; this is slow, and rare.
  careful_ = false;
  for (Job& job : jobs) {
    if (job.over_time) continue;
    std::span<Job> alone(&job, 1);
    commit_together(alone, nullptr);
  }
  return jobs.size();
}

// A job that takes too long is left out of the next attempt: it would take as long again, and the others wait for it.
GroupCommit::Outcome GroupCommit::commit_in_time(std::span<Job>& jobs, const Cut& cut) {
  Outcome outcome = commit_together(jobs, cut);
  while (outcome == Outcome::OverTime) outcome = commit_together(jobs, cut);
  return outcome;
}

// Unless the outcome is Done, nothing was committed, and what one job saw of another is void: one of them
// has ended the transaction for all (Lost), must be undone (Spoiled), or was too slow (OverTime).
GroupCommit::Outcome GroupCommit::commit_together(std::span<Job>& jobs, const Cut& cut) {
  begun_ = lost_ = spoiled_ = false;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (i > 0 && cut && cut()) jobs = jobs.first(i);
    if (i == jobs.size()) break;
    if (jobs[i].over_time) continue;
    run_job(jobs[i]);
    if (unreachable_) {
      fail_all(jobs, *std::exchange(unreachable_, std::nullopt));
      return Outcome::Done;
    }
    if (lost_ || spoiled_) roll_back();
    if (spoiled_ && jobs.size() == 1) return Outcome::Done;
    if (lost_ || spoiled_) {
      undo_all(jobs);
      if (jobs[i].over_time) return Outcome::OverTime;
      return lost_ ? Outcome::Lost : Outcome::Spoiled;
    }
  }
  if (!begun_) {
    end_all(jobs);
    return Outcome::Done;
  }
  try {
    commit_transaction();
  } catch (const Error& error) {
    fail_all(jobs, error);
    // A deferred constraint: one job may have broken it for all.
    return error.kind() == ErrorKind::Conflict ? Outcome::Lost : Outcome::Done;
  }
  end_all(jobs);
  return Outcome::Done;
}

void GroupCommit::fail_all(std::span<Job> jobs, const Error& error) {
  for (Job& job : jobs) {
    if (!job.over_time) job.error = std::make_exception_ptr(error);  // threads must not share an exception
  }
  roll_back();
  undo_all(jobs);
}

void GroupCommit::run_job(Job& job) {
  writing_ = false;
  starting(job);
  try {
    job.work(*this);
    job.error = failure_;
  } catch (...) {
    job.error = std::current_exception();
  }
  ended();
  job.over_time = is_over_time(failure_);
  failure_ = nullptr;
  job.ends = take_ends();
  if (writing_ && !lost_ && careful_) {
    try {
      close_savepoint(!job.error);
    } catch (const Error&) {
      job.error = std::current_exception();
      lost_ = true;
    }
  }
  spoiled_ = writing_ && !lost_ && !careful_ && job.error;
  // At once: the next job of this batch must not see what this one undoes.
  if (job.error) job.end(false);
}

void GroupCommit::set_writing() {
  if (writing_) return;
  if (careful_) execute("SAVEPOINT work");
  writing_ = true;
}

void GroupCommit::set_failure(bool lost) {
  failure_ = std::current_exception();
  lost_ = lost;
}

void GroupCommit::set_unreachable(const Error& error) {
  failure_ = std::make_exception_ptr(error);
  unreachable_ = error;
}

void GroupCommit::close_savepoint(bool keep) {
  if (!keep) execute("ROLLBACK TO SAVEPOINT work");
  execute("RELEASE SAVEPOINT work");
}

}  // namespace store
