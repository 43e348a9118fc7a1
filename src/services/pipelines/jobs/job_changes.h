// SPDX-License-Identifier: Apache-2.0
// Changes of jobs: each applies an event, where the job's status allows it, with all that follows from it.
#pragma once

#include <string>
#include <string_view>

#include "services/pipelines/jobs/job_row.h"

namespace services::pipelines {

// False where the event came too late, or is not allowed: nothing was changed.

// `receive`: the receive count of its message, from 1.
struct WorkerPlace {
  std::string task_arn, machine, gpu_ids;
};
// Where all attempts are used up, and their workers reported nothing more, the job fails instead.
bool start_job(Call& call, const Pipeline& pipeline, Job& job, std::int64_t receive, const WorkerPlace& place);
struct FailedAttempt {
  JobError error;
  std::int64_t receive = 1;
  bool permanent = false;  // another attempt would fail, too
};
// The job is queued again. After its last attempt and a permanent error it fails, and its message moves to the
// dead-letter queue.
bool fail_attempt(Call& call, const Pipeline& pipeline, Job& job, const FailedAttempt& attempt);
// `result`: its bytes, as far as they are at hand.
bool succeed_job(Call& call, const Pipeline& pipeline, Job& job, const std::string& result_key,
                 std::string_view result);
// `event`: DeadLettered or Expired. `otherwise` is the error where no worker stored one.
bool fail_job(Call& call, const Pipeline& pipeline, Job& job, JobEvent event, std::int64_t receives,
              const JobError& otherwise);
// Removes its message: a worker that has it notices that.
bool cancel_job(Call& call, const Pipeline& pipeline, Job& job, JobError error = {});
// Queues it again. Where the result exists, because a worker finished after it was cancelled, it succeeds at once.
// Throws ConflictException where the input no longer exists.
bool retry_job(Call& call, const Pipeline& pipeline, Job& job);

// As a job's priority demands, once its message was sent.
void prioritize_job(Call& call, const Pipeline& pipeline, const Job& job);

// The error of a job whose workers stored none.
JobError no_answer(std::int64_t times);

// The principal of pipelines.
Caller as_pipeline(const Call& call, const Pipeline& pipeline);

}  // namespace services::pipelines
