// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/jobs/job_status.h"

#include <array>

namespace services::pipelines {
namespace {

constexpr std::array<std::string_view, 5> kStatusTexts = {"QUEUED", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED"};

}  // namespace

std::string_view text(JobStatus status) { return kStatusTexts[static_cast<std::size_t>(status)]; }

std::optional<JobStatus> job_status(std::string_view text) {
  for (std::size_t i = 0; i < kStatusTexts.size(); ++i) {
    if (kStatusTexts[i] == text) return static_cast<JobStatus>(i);
  }
  return std::nullopt;
}

std::optional<JobStatus> next_status(JobStatus status, JobEvent event) {
  const bool open = !is_over(status);
  switch (event) {
    case JobEvent::Started: return open ? std::optional(JobStatus::Running) : std::nullopt;
    case JobEvent::AttemptFailed: return open ? std::optional(JobStatus::Queued) : std::nullopt;
    case JobEvent::ResultStored:
      // A worker may finish after the queue gave its message up. The result exists, so the job did not fail.
      return open || status == JobStatus::Failed ? std::optional(JobStatus::Succeeded) : std::nullopt;
    case JobEvent::DeadLettered:
    case JobEvent::Expired: return open ? std::optional(JobStatus::Failed) : std::nullopt;
    case JobEvent::Cancelled: return open ? std::optional(JobStatus::Cancelled) : std::nullopt;
    case JobEvent::Retried:
      return status == JobStatus::Failed || status == JobStatus::Cancelled ? std::optional(JobStatus::Queued)
                                                                           : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace services::pipelines
