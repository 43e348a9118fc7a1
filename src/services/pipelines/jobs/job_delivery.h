// SPDX-License-Identifier: Apache-2.0
// Webhook deliveries of jobs: a record of each, in the transaction of the change that it announces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/operation.h"
#include "services/pipelines/jobs/job_row.h"

namespace services::pipelines {

inline constexpr std::int64_t kMaxDeliveries = 100;  // of a job

struct JobDelivery {
  std::int64_t number = 0;
  std::int64_t job = 0;
  std::string message_id, event, url, body;
  std::string status = "PENDING";
  std::int64_t attempts = 0;
  base::Time created_at;
  std::optional<base::Time> last_attempt_at = {}, next_attempt_at = {}, finished_at = {};
  std::optional<std::int64_t> response_status = {};
  std::string error = {};
};

// "job.succeeded", "job.failed"
std::string ending_event(JobStatus status);
// The id of all attempts to announce this ending of a job: the first, or one after a retry. Receivers drop what has an id
// that they know, so no other job may have it: neither one of another pipeline, nor one whose id ends like a number of
// endings. It has no dot: Standard Webhooks separates what is signed by dots.
std::string message_id_of(const Pipeline& pipeline, const Job& job);

// The job has just succeeded or failed. Nothing happens where neither the job nor its pipeline has a webhook.
void announce_ending(Call& call, const Pipeline& pipeline, const Job& job, std::string_view result);

std::optional<JobDelivery> last_delivery(store::Tx& tx, std::int64_t job);
std::vector<JobDelivery> list_deliveries(store::Tx& tx, std::int64_t job);  // newest first
// Throws ConflictException, and ResourceNotFoundException for a delivery that is not of this job.
JobDelivery resend_delivery(Call& call, const Pipeline& pipeline, const Job& job, const std::string& delivery);

// GetWebhookSecret.
std::vector<Operation> webhook_secret_operations();
// WebhookAttempted and WebhookFinished, which the sender of webhooks reports.
std::vector<Operation> delivery_operations();

}  // namespace services::pipelines
