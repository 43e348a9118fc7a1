// SPDX-License-Identifier: Apache-2.0
// Rows of jobs. save_job() keeps the counts of the pipeline and wakes who waits for changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "services/pipelines/jobs/job_status.h"
#include "services/pipelines/pipeline_row.h"

namespace services::pipelines {

struct JobError {
  std::string type, message;  // "": none
};

struct Job {
  std::int64_t number = 0;
  std::int64_t lot = 0;
  std::string id;
  JobStatus status = JobStatus::Queued;
  std::int64_t change = 0;
  base::Time created_at;
  std::optional<base::Time> started_at = {}, finished_at = {};
  std::int64_t attempts = 0, attempts_before = 0;  // attempts_before: those before the last retry
  std::int64_t receives = 0;                       // the receive count of its message in the last attempt
  std::int64_t endings = 0;
  std::int64_t priority = 0;
  std::string metadata_json = "{}";
  std::string input_key;
  std::string sequencer = {};  // "": its input is written later in this transaction
  std::int64_t size = 0;
  std::string content_type = {}, content_hash = {};
  std::string message_id = {};
  base::Time queued_at = {};
  std::string result_key = {};  // "": none
  JobError error = {};
  std::string task_arn = {}, machine = {}, gpu_ids = {};
  std::string webhook_url = {};  // "": the pipeline's
};

struct JobCounts {
  std::int64_t queued = 0, running = 0, succeeded = 0, failed = 0, cancelled = 0;
  std::int64_t changes = 0;  // the number of the last change
};

// Woken by each change of this job.
std::string job_topic(std::int64_t job);

// The lot of a pipeline's jobs; 0 where it never had one.
std::int64_t find_lot(store::Tx& tx, std::int64_t pipeline);
std::int64_t open_lot(store::Tx& tx, std::int64_t pipeline);
JobCounts count_jobs(store::Tx& tx, std::int64_t pipeline);

// Sets its number and change.
void insert_job(Call& call, const Pipeline& pipeline, Job& job);
// `before`: its status as it was loaded. Sets its change.
void save_job(Call& call, const Pipeline& pipeline, Job& job, JobStatus before);
// Its input was written: sequencer, size, content type, message and its time. No status changes.
void attach_message(store::Tx& tx, const Job& job);
// Deletes the row and its deliveries, and counts it no longer. `lot`: the pipeline's; a dead one has no counts.
void delete_job(Call& call, const Job& job);

std::optional<Job> load_job(store::Tx& tx, std::int64_t number);
std::optional<Job> find_job(store::Tx& tx, std::int64_t lot, const std::string& id);
std::optional<Job> find_job_of_message(store::Tx& tx, std::int64_t lot, const std::string& message_id);
// The latest jobs of an input's key, newest first.
std::vector<Job> list_jobs_of_key(store::Tx& tx, std::int64_t lot, const std::string& key, std::int64_t most);
// After the change `after`, in the order of their changes.
std::vector<Job> list_changed_jobs(store::Tx& tx, std::int64_t lot, std::int64_t after, std::int64_t most);

// Newest first: before (created_at, number) of `before`.
struct JobPosition {
  base::Time created_at;
  std::int64_t number = 0;
};
struct JobRange {
  std::int64_t lot = 0;
  JobStatus status = JobStatus::Queued;
  std::optional<JobPosition> before = {};
  std::optional<base::Time> created_after = {};
  std::int64_t most = 0;
};
std::vector<Job> list_jobs(store::Tx& tx, const JobRange& range);
// Oldest first, those that were created and, where they are over, finished at or before `until`.
std::vector<Job> list_old_jobs(store::Tx& tx, std::int64_t lot, JobStatus status, base::Time until, std::int64_t most);

}  // namespace services::pipelines
