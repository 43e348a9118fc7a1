// SPDX-License-Identifier: Apache-2.0
// Deletes jobs, in slices: finished ones after the pipeline's retention, and those of deleted pipelines. Ends jobs
// whose messages can no longer exist.
#include "services/pipelines/jobs/job_changes.h"
#include "services/pipelines/jobs/job_hooks.h"

namespace services::pipelines {
namespace {

constexpr std::int64_t kSweepSlice = 200;
constexpr base::Duration kNextSlice = std::chrono::milliseconds(5);
// Retention is in days: a job that is over now is not due before that.
constexpr base::Duration kNextSweep = std::chrono::hours(1);
// SQS keeps no message longer.
constexpr base::Duration kLongestRetention = std::chrono::days(14);
constexpr JobStatus kOver[] = {JobStatus::Succeeded, JobStatus::Failed, JobStatus::Cancelled};
constexpr JobStatus kOpen[] = {JobStatus::Queued, JobStatus::Running};

struct LotToSweep {
  std::int64_t lot = 0;
  std::optional<std::int64_t> pipeline;  // nullopt: deleted
};

std::vector<LotToSweep> lots_to_sweep(store::Tx& tx) {
  return tx.query("SELECT lot, pipeline FROM pipeline_job_lots ORDER BY lot").all([](const store::Row& row) {
    return LotToSweep{row.integer(0), row.maybe_integer(1)};
  });
}

// Jobs of a lot to delete, or to end, at most so many.
std::vector<Job> jobs_to_delete(store::Tx& tx, const LotToSweep& lot, const std::optional<Pipeline>& pipeline,
                                base::Time now, std::int64_t most) {
  std::vector<Job> found;
  auto collect = [&](JobStatus status, base::Time until) {
    const std::int64_t room = most - static_cast<std::int64_t>(found.size());
    if (room <= 0) return;
    for (Job& job : list_old_jobs(tx, lot.lot, status, until, room)) found.push_back(std::move(job));
  };
  if (!pipeline) {
    for (JobStatus status : kOver) collect(status, base::Time::max());
    for (JobStatus status : kOpen) collect(status, base::Time::max());
  } else if (pipeline->retention_days > 0) {
    for (JobStatus status : kOver) collect(status, now - std::chrono::days(pipeline->retention_days));
  }
  return found;
}

std::vector<Job> expired_jobs(store::Tx& tx, const LotToSweep& lot, base::Time now, std::int64_t most) {
  std::vector<Job> found;
  for (JobStatus status : kOpen) {
    for (Job& job : list_old_jobs(tx, lot.lot, status, now - kLongestRetention, most)) {
      if (job.queued_at <= now - kLongestRetention) found.push_back(std::move(job));
    }
  }
  return found;
}

std::optional<Pipeline> pipeline_of_lot(store::Tx& tx, const LotToSweep& lot) {
  return lot.pipeline ? load_pipeline(tx, *lot.pipeline) : std::nullopt;
}

bool has_work(store::Tx& tx, const LotToSweep& lot, base::Time now) {
  const auto pipeline = pipeline_of_lot(tx, lot);
  if (!pipeline) return true;
  return !jobs_to_delete(tx, lot, pipeline, now, 1).empty() || !expired_jobs(tx, lot, now, 1).empty();
}

void sweep_lot(Call& call, const LotToSweep& lot) {
  const auto pipeline = pipeline_of_lot(call.tx, lot);
  const std::vector<Job> old = jobs_to_delete(call.tx, lot, pipeline, call.now, kSweepSlice);
  for (const Job& job : old) delete_job(call, job);
  if (!pipeline && old.empty()) call.tx.exec("DELETE FROM pipeline_job_lots WHERE lot = $1", lot.lot);
  if (!pipeline) return;
  for (Job& job : expired_jobs(call.tx, lot, call.now, kSweepSlice)) {
    fail_job(call, *pipeline, job, JobEvent::Expired, 0, {"Expired", "No worker finished it within 14 days."});
  }
}

Decision look_for_old_jobs(Call& call) {
  Decision decision;
  decision.next = call.now + kNextSweep;
  for (const LotToSweep& lot : lots_to_sweep(call.tx)) {
    if (!has_work(call.tx, lot, call.now)) continue;
    decision.next = call.now + kNextSlice;
    decision.apply = [lot](Call& write) {
      // Its pipeline may have changed since.
      for (const LotToSweep& current : lots_to_sweep(write.tx)) {
        if (current.lot == lot.lot) sweep_lot(write, current);
      }
    };
    return decision;
  }
  return decision;
}

}  // namespace

Loop job_sweep_loop() { return {"pipeline jobs", kJobSweepTopic, &look_for_old_jobs}; }

}  // namespace services::pipelines
