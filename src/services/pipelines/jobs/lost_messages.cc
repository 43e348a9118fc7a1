// SPDX-License-Identifier: Apache-2.0
// Ends jobs whose message is no longer in the queue, because someone deleted it or purged the queue: no worker will ever
// see them. Looks at intervals, so that deleting a message costs nothing.
#include <set>

#include "services/invoke.h"
#include "services/pipelines/jobs/job_changes.h"
#include "services/pipelines/jobs/job_hooks.h"
#include "shapes/stoker/pipeline_hooks.h"

namespace services::pipelines {
namespace {

constexpr base::Duration kNextLook = std::chrono::minutes(2);
constexpr base::Duration kNextPart = std::chrono::milliseconds(5);
constexpr std::size_t kMaxLost = 200;  // ended in one transaction
// Of each pipeline and status, the oldest ones: the others are looked at when these are done.
constexpr std::int64_t kMaxLooked = 10'000;
constexpr JobStatus kWaiting[] = {JobStatus::Queued, JobStatus::Running};

struct LostJob {
  std::int64_t number = 0, pipeline = 0;
  std::string message_id;
};

std::vector<std::int64_t> pipelines_with_jobs(store::Tx& tx) {
  return tx
      .query("SELECT pipeline FROM pipeline_job_lots WHERE pipeline IS NOT NULL AND queued + running > 0 ORDER BY lot")
      .all([](const store::Row& row) { return row.integer(0); });
}

std::vector<Job> waiting_jobs(store::Tx& tx, std::int64_t lot, base::Time now) {
  std::vector<Job> waiting;
  for (JobStatus status : kWaiting) {
    for (Job& job : list_old_jobs(tx, lot, status, now, kMaxLooked)) {
      if (!job.message_id.empty()) waiting.push_back(std::move(job));
    }
  }
  return waiting;
}

void collect_lost(Call& call, const Pipeline& pipeline, std::vector<LostJob>& lost) {
  const std::vector<Job> waiting = waiting_jobs(call.tx, find_lot(call.tx, pipeline.number), call.now);
  if (waiting.empty()) return;
  shapes::stoker::FindMissingMessages request{pipeline.queue_arn, {}};
  for (const Job& job : waiting) request.messages.push_back({job.message_id, job.queued_at});
  const auto found = invoke<shapes::stoker::MissingMessages>(call, as_pipeline(call, pipeline), "sqs",
                                                             "FindMissingMessages", request);
  const std::set<std::string> missing(found.messageIds.begin(), found.messageIds.end());
  for (const Job& job : waiting) {
    if (missing.contains(job.message_id)) lost.push_back({job.number, pipeline.number, job.message_id});
  }
}

void end_lost(Call& call, const std::vector<LostJob>& lost) {
  for (const LostJob& one : lost) {
    auto job = load_job(call.tx, one.number);
    const auto pipeline = load_pipeline(call.tx, one.pipeline);
    // Finished or retried since.
    if (!job || !pipeline || job->message_id != one.message_id) continue;
    job->error = {};
    fail_job(call, *pipeline, *job, JobEvent::Expired, job->receives,
             {"MessageDeleted", "Its message is no longer in the queue: it was deleted, or the queue was purged."});
  }
}

Decision look_for_lost_messages(Call& call) {
  Decision decision;
  decision.next = call.now + kNextLook;
  std::vector<LostJob> lost;
  for (std::int64_t number : pipelines_with_jobs(call.tx)) {
    if (const auto pipeline = load_pipeline(call.tx, number)) collect_lost(call, *pipeline, lost);
  }
  if (lost.empty()) return decision;
  if (lost.size() > kMaxLost) {
    lost.resize(kMaxLost);
    decision.next = call.now + kNextPart;
  }
  decision.apply = [lost = std::move(lost)](Call& write) { end_lost(write, lost); };
  return decision;
}

}  // namespace

Loop lost_message_loop() { return {"lost messages", "pipelines/lost", &look_for_lost_messages}; }

}  // namespace services::pipelines
