// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/jobs/job_row.h"

#include <array>
#include <limits>

#include "base/check.h"
#include "webhooks/outbox.h"

namespace services::pipelines {
namespace {

const std::string kSelectJob =
    "SELECT number, lot, id, status, change, created_at, started_at, finished_at, attempts, attempts_before, endings, "
    "priority, metadata, input_key, sequencer, size, content_type, content_hash, message_id, queued_at, result_key, "
    "error_type, error_message, task_arn, machine, gpu_ids, webhook_url, receives FROM pipeline_jobs";

Job read_job(const store::Row& row) {
  Job job;
  job.number = row.integer(0);
  job.lot = row.integer(1);
  job.id = row.str(2);
  job.status = static_cast<JobStatus>(row.integer(3));
  job.change = row.integer(4);
  job.created_at = row.time(5);
  job.started_at = row.maybe_time(6);
  job.finished_at = row.maybe_time(7);
  job.attempts = row.integer(8);
  job.attempts_before = row.integer(9);
  job.endings = row.integer(10);
  job.priority = row.integer(11);
  job.metadata_json = row.str(12);
  job.input_key = row.str(13);
  job.sequencer = row.str(14);
  job.size = row.integer(15);
  job.content_type = row.str(16);
  job.content_hash = row.str(17);
  job.message_id = row.str(18);
  job.queued_at = row.time(19);
  job.result_key = row.str(20);
  job.error = {row.str(21), row.str(22)};
  job.task_arn = row.str(23);
  job.machine = row.str(24);
  job.gpu_ids = row.str(25);
  job.webhook_url = row.str(26);
  job.receives = row.integer(27);
  return job;
}

std::int64_t code_of(JobStatus status) { return static_cast<std::int64_t>(status); }

using Steps = std::array<std::int64_t, 5>;  // of each status

// Returns the number of this change.
std::int64_t count_change(store::Tx& tx, std::int64_t lot, const Steps& steps) {
  return tx
      .query("UPDATE pipeline_job_lots SET changes = changes + 1, queued = queued + $2, running = running + $3, "
             "succeeded = succeeded + $4, failed = failed + $5, cancelled = cancelled + $6 WHERE lot = $1 "
             "RETURNING changes",
             lot, steps[0], steps[1], steps[2], steps[3], steps[4])
      .integer();
}

std::int64_t& step_of(Steps& steps, JobStatus status) { return steps[static_cast<std::size_t>(status)]; }

void wake_change(Call& call, const Pipeline& pipeline, const Job& job) {
  call.wake(job_topic(job.number));
  call.wake(pipeline_topic(pipeline.number));
}

}  // namespace

std::string job_topic(std::int64_t job) { return "pipelines/job/" + std::to_string(job); }

std::int64_t find_lot(store::Tx& tx, std::int64_t pipeline) {
  return tx.query("SELECT lot FROM pipeline_job_lots WHERE pipeline = $1", pipeline).integer();
}

std::int64_t open_lot(store::Tx& tx, std::int64_t pipeline) {
  if (const std::int64_t lot = find_lot(tx, pipeline)) return lot;
  return tx
      .query("INSERT INTO pipeline_job_lots (pipeline, changes, queued, running, succeeded, failed, cancelled) "
             "VALUES ($1, 0, 0, 0, 0, 0, 0) RETURNING lot",
             pipeline)
      .integer();
}

JobCounts count_jobs(store::Tx& tx, std::int64_t pipeline) {
  auto found = tx.query("SELECT queued, running, succeeded, failed, cancelled, changes FROM pipeline_job_lots "
                        "WHERE pipeline = $1",
                        pipeline)
                   .one([](const store::Row& row) {
                     return JobCounts{row.integer(0), row.integer(1), row.integer(2),
                                      row.integer(3), row.integer(4), row.integer(5)};
                   });
  return found.value_or(JobCounts());
}

void insert_job(Call& call, const Pipeline& pipeline, Job& job) {
  Steps steps{};
  step_of(steps, job.status) = 1;
  job.change = count_change(call.tx, job.lot, steps);
  job.number =
      call.tx
          .query("INSERT INTO pipeline_jobs (lot, id, status, change, created_at, started_at, finished_at, attempts, "
                 "attempts_before, endings, priority, metadata, input_key, sequencer, size, content_type, "
                 "content_hash, message_id, queued_at, result_key, error_type, error_message, task_arn, machine, "
                 "gpu_ids, webhook_url) VALUES ($1, $2, $3, $4, $5, NULL, NULL, 0, 0, 0, $6, $7, $8, $9, $10, $11, "
                 "$12, $13, $14, '', '', '', '', '', '', $15) RETURNING number",
                 job.lot, job.id, code_of(job.status), job.change, job.created_at, job.priority, job.metadata_json,
                 job.input_key, job.sequencer, job.size, job.content_type, job.content_hash, job.message_id,
                 job.queued_at, job.webhook_url)
          .integer();
  wake_change(call, pipeline, job);
}

void save_job(Call& call, const Pipeline& pipeline, Job& job, JobStatus before) {
  Steps steps{};
  step_of(steps, before) -= 1;
  step_of(steps, job.status) += 1;
  job.change = count_change(call.tx, job.lot, steps);
  call.tx.exec("UPDATE pipeline_jobs SET status = $2, change = $3, started_at = $4, finished_at = $5, attempts = $6, "
               "attempts_before = $7, endings = $8, result_key = $9, error_type = $10, error_message = $11, "
               "task_arn = $12, machine = $13, gpu_ids = $14, message_id = $15, queued_at = $16, receives = $17 WHERE number = $1",
               job.number, code_of(job.status), job.change, job.started_at, job.finished_at, job.attempts,
               job.attempts_before, job.endings, job.result_key, job.error.type, job.error.message, job.task_arn,
               job.machine, job.gpu_ids, job.message_id, job.queued_at, job.receives);
  wake_change(call, pipeline, job);
}

void attach_message(store::Tx& tx, const Job& job) {
  tx.exec("UPDATE pipeline_jobs SET sequencer = $2, size = $3, content_type = $4, message_id = $5, queued_at = $6 "
          "WHERE number = $1",
          job.number, job.sequencer, job.size, job.content_type, job.message_id, job.queued_at);
}

void delete_job(Call& call, const Job& job) {
  std::vector<std::int64_t> pending;
  call.tx.query("SELECT outbox FROM pipeline_deliveries WHERE job = $1 AND outbox IS NOT NULL", job.number)
      .each([&](const store::Row& row) { pending.push_back(row.integer(0)); });
  for (std::int64_t delivery : pending) webhooks::remove_delivery(call.tx, delivery);
  call.tx.exec("DELETE FROM pipeline_deliveries WHERE job = $1", job.number);
  call.tx.exec("DELETE FROM pipeline_jobs WHERE number = $1", job.number);
  Steps steps{};
  step_of(steps, job.status) = -1;
  count_change(call.tx, job.lot, steps);
}

std::optional<Job> load_job(store::Tx& tx, std::int64_t number) {
  static const std::string sql = kSelectJob + " WHERE number = $1";
  return tx.query(sql, number).one(read_job);
}

std::optional<Job> find_job(store::Tx& tx, std::int64_t lot, const std::string& id) {
  static const std::string sql = kSelectJob + " WHERE lot = $1 AND id = $2";
  return tx.query(sql, lot, id).one(read_job);
}

std::optional<Job> find_job_of_message(store::Tx& tx, std::int64_t lot, const std::string& message_id) {
  static const std::string sql = kSelectJob + " WHERE message_id = $1 AND lot = $2";
  return tx.query(sql, message_id, lot).one(read_job);
}

std::vector<Job> list_jobs_of_key(store::Tx& tx, std::int64_t lot, const std::string& key, std::int64_t most) {
  static const std::string sql = kSelectJob + " WHERE lot = $1 AND input_key = $2 ORDER BY number DESC LIMIT $3";
  return tx.query(sql, lot, key, most).all(read_job);
}

std::vector<Job> list_changed_jobs(store::Tx& tx, std::int64_t lot, std::int64_t after, std::int64_t most) {
  static const std::string sql = kSelectJob + " WHERE lot = $1 AND change > $2 ORDER BY change LIMIT $3";
  return tx.query(sql, lot, after, most).all(read_job);
}

std::vector<Job> list_jobs(store::Tx& tx, const JobRange& range) {
  static const std::string sql = kSelectJob +
                                 " WHERE lot = $1 AND status = $2 AND created_at > $3 AND (created_at < $4 OR "
                                 "(created_at = $4 AND number < $5)) AND created_at <= $4 "
                                 "ORDER BY created_at DESC, number DESC LIMIT $6";
  constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
  const std::int64_t after = range.created_after ? base::to_millis(*range.created_after) : -1;
  const std::int64_t before = range.before ? base::to_millis(range.before->created_at) : kEnd;
  const std::int64_t number = range.before ? range.before->number : kEnd;
  return tx.query(sql, range.lot, code_of(range.status), after, before, number, range.most).all(read_job);
}

std::vector<Job> list_old_jobs(store::Tx& tx, std::int64_t lot, JobStatus status, base::Time until,
                               std::int64_t most) {
  static const std::string sql = kSelectJob +
                                 " WHERE lot = $1 AND status = $2 AND created_at <= $3 AND (finished_at IS NULL OR "
                                 "finished_at <= $3) ORDER BY created_at, number LIMIT $4";
  return tx.query(sql, lot, code_of(status), until, most).all(read_job);
}

}  // namespace services::pipelines
