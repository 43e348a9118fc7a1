// SPDX-License-Identifier: Apache-2.0
// The life of a job. Its steps follow from what happens to its input, its message and its result.
#pragma once

#include <optional>
#include <string_view>

namespace services::pipelines {

enum class JobStatus { Queued, Running, Succeeded, Failed, Cancelled };

std::string_view text(JobStatus status);  // "QUEUED"
std::optional<JobStatus> job_status(std::string_view text);

enum class JobEvent {
  Started,        // a worker has it
  AttemptFailed,  // a worker stored an error; the queue delivers the job again
  ResultStored,
  DeadLettered,   // the queue gave it up
  Cancelled,      // by a client, or because its input was overwritten
  Retried,        // by a client
  Expired,        // its message did
};

// The status after an event; nullopt where the event changes nothing: it is late, or not allowed.
std::optional<JobStatus> next_status(JobStatus status, JobEvent event);

// Only a retry, or the result of a worker that was given up too early, continues such a job.
constexpr bool is_over(JobStatus status) {
  return status == JobStatus::Succeeded || status == JobStatus::Failed || status == JobStatus::Cancelled;
}

}  // namespace services::pipelines
