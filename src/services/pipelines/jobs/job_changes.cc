// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/jobs/job_changes.h"

#include <algorithm>
#include <utility>

#include "services/invoke.h"
#include "services/pipelines/jobs/job_delivery.h"
#include "shapes/stoker/pipeline_hooks.h"
#include "wire/error.h"

namespace services::pipelines {
namespace {

void remove_message_of(Call& call, const Pipeline& pipeline, const std::string& queue_arn, const Job& job,
                       base::Time sent_at) {
  if (job.message_id.empty()) return;
  const shapes::stoker::RemoveMessage remove{queue_arn, job.message_id, sent_at};
  invoke(call, as_pipeline(call, pipeline), "sqs", "RemoveMessage", remove);
}

// `receive`: the receive count of its message. Its start and its error may both be reported.
void count_attempt(Job& job, std::int64_t receive) {
  if (receive <= job.receives) return;
  job.receives = receive;
  ++job.attempts;
}

// It has just succeeded or failed.
void end_job(Call& call, const Pipeline& pipeline, Job& job, JobStatus before, std::string_view result) {
  job.finished_at = call.now;
  ++job.endings;
  save_job(call, pipeline, job, before);
  announce_ending(call, pipeline, job, result);
}

// It fails, and its message moves to the dead-letter queue.
void give_up_job(Call& call, const Pipeline& pipeline, Job& job) {
  const shapes::stoker::BuryMessage bury{pipeline.queue_arn, job.message_id, job.queued_at};
  invoke(call, as_pipeline(call, pipeline), "sqs", "BuryMessage", bury);
  const JobStatus before = std::exchange(job.status, *next_status(job.status, JobEvent::DeadLettered));
  end_job(call, pipeline, job, before, "");
}

void set_place(Job& job, const WorkerPlace& place) {
  job.task_arn = place.task_arn;
  job.machine = place.machine;
  job.gpu_ids = place.gpu_ids;
}

bool is_used_up(const Pipeline& pipeline, const Job& job) {
  return job.attempts - job.attempts_before >= pipeline.max_attempts;
}

}  // namespace

JobError no_answer(std::int64_t times) {
  return {"NoAnswer",
          "The worker ended without an answer, " + std::to_string(times) + (times == 1 ? " time." : " times.")};
}

Caller as_pipeline(const Call& call, const Pipeline& pipeline) {
  Caller caller = as_service(call, "pipelines.stoker",
                             "arn:aws:stoker:" + pipeline.region + ":" + pipeline.account + ":pipeline/" + pipeline.name,
                             pipeline.account);
  caller.region = pipeline.region;
  return caller;
}

bool start_job(Call& call, const Pipeline& pipeline, Job& job, std::int64_t receive, const WorkerPlace& place) {
  const auto next = next_status(job.status, JobEvent::Started);
  // A report may be late: the error of the same attempt was stored before.
  const bool late = job.status == JobStatus::Queued && !job.error.type.empty() && receive <= job.receives;
  // A quick item is over before its start is reported. Where it was worked on is still worth knowing.
  const bool succeeded = job.status == JobStatus::Succeeded && job.task_arn.empty();
  const bool failed = (late || job.status == JobStatus::Failed) && receive == job.receives;
  if ((succeeded || failed) && !place.task_arn.empty() && place.task_arn != job.task_arn) {
    set_place(job, place);
    save_job(call, pipeline, job, job.status);
  }
  if (!next || late) return false;
  // The workers of all attempts died: the item probably kills them. If this one has a result, it succeeds.
  if (receive > job.receives && is_used_up(pipeline, job)) {
    if (job.error.type.empty()) job.error = no_answer(job.attempts - job.attempts_before);
    give_up_job(call, pipeline, job);
    return false;
  }
  const JobStatus before = std::exchange(job.status, *next);
  count_attempt(job, receive);
  job.started_at = call.now;
  set_place(job, place);
  save_job(call, pipeline, job, before);
  return true;
}

bool fail_attempt(Call& call, const Pipeline& pipeline, Job& job, const FailedAttempt& attempt) {
  const auto next = next_status(job.status, JobEvent::AttemptFailed);
  if (!next) return false;
  count_attempt(job, attempt.receive);
  job.error = attempt.error;
  if (attempt.permanent || is_used_up(pipeline, job)) {
    give_up_job(call, pipeline, job);
    return true;
  }
  const JobStatus before = std::exchange(job.status, *next);
  save_job(call, pipeline, job, before);
  return true;
}

bool succeed_job(Call& call, const Pipeline& pipeline, Job& job, const std::string& result_key,
                 std::string_view result) {
  const auto next = next_status(job.status, JobEvent::ResultStored);
  if (!next && job.status == JobStatus::Cancelled && job.result_key.empty()) {
    // A retry will find it.
    job.result_key = result_key;
    save_job(call, pipeline, job, job.status);
  }
  if (!next) return false;
  const JobStatus before = std::exchange(job.status, *next);
  count_attempt(job, 1);
  job.result_key = result_key;
  job.error = {};
  end_job(call, pipeline, job, before, result);
  return true;
}

bool fail_job(Call& call, const Pipeline& pipeline, Job& job, JobEvent event, std::int64_t receives,
              const JobError& otherwise) {
  const auto next = next_status(job.status, event);
  if (!next) return false;
  const JobStatus before = std::exchange(job.status, *next);
  // Workers that report nothing: each receive may have been an attempt.
  if (job.receives == 0) job.attempts += job.receives = receives;
  if (job.error.type.empty()) job.error = otherwise;
  end_job(call, pipeline, job, before, "");
  return true;
}

bool cancel_job(Call& call, const Pipeline& pipeline, Job& job, JobError error) {
  const auto next = next_status(job.status, JobEvent::Cancelled);
  if (!next) return false;
  remove_message_of(call, pipeline, pipeline.queue_arn, job, job.queued_at);
  const JobStatus before = std::exchange(job.status, *next);
  job.finished_at = call.now;
  if (!error.type.empty()) job.error = std::move(error);
  save_job(call, pipeline, job, before);
  return true;
}

bool retry_job(Call& call, const Pipeline& pipeline, Job& job) {
  const auto next = next_status(job.status, JobEvent::Retried);
  if (!next) return false;
  const JobStatus before = std::exchange(job.status, *next);
  // A failed job's message is in the dead-letter queue since then.
  if (before == JobStatus::Failed && job.finished_at) {
    remove_message_of(call, pipeline, pipeline.failed_queue_arn, job, *job.finished_at);
  }
  job.message_id.clear();
  job.started_at.reset();
  job.finished_at.reset();
  job.attempts_before = job.attempts;
  job.receives = 0;
  job.error = {};
  job.task_arn = job.machine = job.gpu_ids = "";
  save_job(call, pipeline, job, before);
  if (!job.result_key.empty()) return succeed_job(call, pipeline, job, job.result_key, "");
  // The event leads to ObjectCreated, which attaches the message.
  const shapes::stoker::AnnounceObject announce{pipeline.bucket, job.input_key, job.sequencer};
  const auto announced = invoke<shapes::stoker::AnnouncedObject>(call, as_pipeline(call, pipeline), "s3",
                                                                 "AnnounceObject", announce);
  if (!announced.exists) {
    throw wire::ApiError("ConflictException", "The input of job '" + job.id + "', " + job.input_key +
                                                  ", was deleted or overwritten. Submit it again.");
  }
  auto queued = load_job(call.tx, job.number);
  if (!queued || queued->message_id.empty()) {
    throw wire::ApiError("ConflictException", "The bucket " + pipeline.bucket + " does not notify the queue of pipeline '" +
                                                  pipeline.name + "'. Apply the pipeline again.");
  }
  job = std::move(*queued);
  prioritize_job(call, pipeline, job);
  return true;
}

void prioritize_job(Call& call, const Pipeline& pipeline, const Job& job) {
  if (job.priority == 0) return;
  const shapes::stoker::PrioritizeMessage prioritize{pipeline.queue_arn, job.message_id, job.queued_at, job.priority};
  invoke(call, as_pipeline(call, pipeline), "sqs", "PrioritizeMessage", prioritize);
}

}  // namespace services::pipelines
