// SPDX-License-Identifier: Apache-2.0
// What S3 and SQS announce: jobs appear with their inputs, and end with their results or their dead letters, in the
// transaction that causes it.
#include "services/pipelines/jobs/job_hooks.h"

#include <algorithm>
#include <boost/json.hpp>

#include "base/utf8.h"
#include "services/pipelines/jobs/job_changes.h"
#include "services/pipelines/jobs/job_identifiers.h"
#include "shapes/stoker/pipeline_hooks.h"

namespace services::pipelines {
namespace {

namespace json = boost::json;
using shapes::stoker::MessageDeadLettered;
using shapes::stoker::ObjectCreated;
using shapes::stoker::RemoveJobs;

constexpr char kJsonEnding[] = ".json";
constexpr std::int64_t kJobsOfKey = 100;  // that are looked at
constexpr std::size_t kMaxErrorType = 128;
constexpr std::size_t kMaxErrorMessage = 4096;

// The message that the pipeline's own queue got; "" where it got none.
std::string message_in(const Pipeline& pipeline, const ObjectCreated& created) {
  for (const auto& event : created.events) {
    if (event.queueArn == pipeline.queue_arn) return event.messageId;
  }
  return "";
}

// The input of a result or an error: out/a.png.json belongs to in/a.png.
std::optional<std::string> input_of(std::string_view key, std::string_view prefix) {
  key.remove_prefix(prefix.size());
  if (!key.ends_with(kJsonEnding)) return std::nullopt;
  key.remove_suffix(sizeof(kJsonEnding) - 1);
  return kInputs + std::string(key);
}

// The job of this input: with this sequencer, or the latest where none is known.
std::optional<Job> job_of_input(store::Tx& tx, std::int64_t lot, const std::string& key, const std::string& sequencer) {
  for (Job& job : list_jobs_of_key(tx, lot, key, kJobsOfKey)) {
    if (sequencer.empty() || job.sequencer == sequencer) return std::move(job);
  }
  return std::nullopt;
}

// An input that is overwritten takes its unfinished job with it: no worker can read it any more.
void supersede(Call& call, const Pipeline& pipeline, std::vector<Job>& jobs, const std::string& sequencer) {
  for (Job& job : jobs) {
    if (is_over(job.status) || job.sequencer.empty() || job.sequencer == sequencer) continue;
    cancel_job(call, pipeline, job, {"InputOverwritten", "Another object was written to " + job.input_key + "."});
  }
}

void input_created(Call& call, const Pipeline& pipeline, const ObjectCreated& created) {
  const std::string message = message_in(pipeline, created);
  const std::int64_t lot = open_lot(call.tx, pipeline.number);
  std::vector<Job> jobs = list_jobs_of_key(call.tx, lot, created.key, kJobsOfKey);
  supersede(call, pipeline, jobs, created.sequencer);
  // Without a message no worker will ever see it.
  if (message.empty()) return;
  for (Job& job : jobs) {
    const bool is_new = job.sequencer.empty();
    if (!is_new && job.sequencer != created.sequencer) continue;
    // Either the job API has just created it, or it is retried. Otherwise the event came twice.
    if (!job.message_id.empty() || is_over(job.status)) return;
    job.sequencer = created.sequencer;
    job.size = created.size;
    job.content_type = created.contentType;
    job.message_id = message;
    job.queued_at = call.now;
    attach_message(call.tx, job);
    return;
  }
  Job job;
  job.lot = lot;
  job.id = new_job_id();
  job.created_at = job.queued_at = call.now;
  job.input_key = created.key;
  job.sequencer = created.sequencer;
  job.size = created.size;
  job.content_type = created.contentType;
  job.message_id = message;
  insert_job(call, pipeline, job);
}

std::string shortened(std::string_view text, std::size_t most) {
  std::string clean = base::to_printable(text.substr(0, most));
  return clean;
}

// errors/<name>.json as a worker writes it: {"error": {"type", "message", "permanent"}, "attempt": 2}, or "error":
// "text". "attempt" is the receive count of the message.
FailedAttempt read_error(std::string_view content) {
  FailedAttempt stored{{"WorkerError", "The worker stored an error that is not valid JSON."}};
  json::error_code failed;
  const json::value parsed = json::parse(content, failed);
  if (failed || !parsed.is_object()) return stored;
  const json::object& document = parsed.get_object();
  if (const json::value* attempt = document.if_contains("attempt"); attempt && attempt->is_int64()) {
    stored.receive = std::max<std::int64_t>(attempt->get_int64(), 1);
  }
  const json::value* error = document.if_contains("error");
  if (!error) return stored;
  if (error->is_string()) stored.error.message = shortened(error->get_string(), kMaxErrorMessage);
  if (!error->is_object()) return stored;
  const json::value* type = error->get_object().if_contains("type");
  const json::value* message = error->get_object().if_contains("message");
  const json::value* permanent = error->get_object().if_contains("permanent");
  if (type && type->is_string() && !type->get_string().empty()) {
    stored.error.type = shortened(type->get_string(), kMaxErrorType);
  }
  stored.permanent = permanent && permanent->is_bool() && permanent->get_bool();
  stored.error.message = message && message->is_string() ? shortened(message->get_string(), kMaxErrorMessage) : "";
  return stored;
}

void object_created(Call& call, const ObjectCreated& created) {
  const auto pipeline = pipeline_of_bucket(call.tx, created.bucket);
  if (!pipeline || pipeline->account != call.caller.account) return;
  const std::string_view key = created.key;
  if (key.starts_with(kInputs)) return input_created(call, *pipeline, created);
  const bool result = key.starts_with(kResults);
  if (!result && !key.starts_with(kErrors)) return;
  const auto input = input_of(key, result ? kResults : kErrors);
  const std::int64_t lot = find_lot(call.tx, pipeline->number);
  if (!input || lot == 0) return;
  auto job = job_of_input(call.tx, lot, *input, created.inputSequencer);
  if (!job) return;
  if (result) {
    succeed_job(call, *pipeline, *job, created.key, created.content);
    return;
  }
  fail_attempt(call, *pipeline, *job, read_error(created.content));
}

void message_dead_lettered(Call& call, const MessageDeadLettered& dead) {
  const auto pipeline = pipeline_of_queue(call.tx, dead.queueArn);
  if (!pipeline || pipeline->account != call.caller.account) return;
  auto job = find_job_of_message(call.tx, find_lot(call.tx, pipeline->number), dead.messageId);
  if (!job) return;
  fail_job(call, *pipeline, *job, JobEvent::DeadLettered, dead.receives, no_answer(dead.receives));
}

void remove_jobs(Call& call, const RemoveJobs& request) {
  call.tx.exec("DELETE FROM pipeline_keys WHERE pipeline = $1", request.pipeline);
  call.tx.exec("UPDATE pipeline_job_lots SET pipeline = NULL WHERE pipeline = $1", request.pipeline);
  call.wake(kJobSweepTopic);
}

}  // namespace

std::vector<Operation> hook_operations() {
  return {operation<&object_created>("ObjectCreated", Access::Write),
          operation<&message_dead_lettered>("MessageDeadLettered", Access::Write),
          operation<&remove_jobs>("RemoveJobs", Access::Write)};
}

}  // namespace services::pipelines
