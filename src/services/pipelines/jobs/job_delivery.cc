// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/jobs/job_delivery.h"

#include <charconv>

#include "services/pipelines/jobs/job_document.h"
#include "shapes/stoker/job.h"
#include "shapes/stoker/webhook.h"
#include "webhooks/outbox.h"
#include "webhooks/signature.h"
#include "webhooks/url.h"
#include "wire/error.h"

namespace services::pipelines {
namespace {

using wire::ApiError;

const std::string kSelectDelivery =
    "SELECT number, job, message_id, event, url, body, status, attempts, created_at, last_attempt_at, "
    "next_attempt_at, finished_at, response_status, error FROM pipeline_deliveries";

JobDelivery read_delivery(const store::Row& row) {
  JobDelivery delivery;
  delivery.number = row.integer(0);
  delivery.job = row.integer(1);
  delivery.message_id = row.str(2);
  delivery.event = row.str(3);
  delivery.url = row.str(4);
  delivery.body = row.str(5);
  delivery.status = row.str(6);
  delivery.attempts = row.integer(7);
  delivery.created_at = row.time(8);
  delivery.last_attempt_at = row.maybe_time(9);
  delivery.next_attempt_at = row.maybe_time(10);
  delivery.finished_at = row.maybe_time(11);
  delivery.response_status = row.maybe_integer(12);
  delivery.error = row.str(13);
  return delivery;
}

// A pipeline without a webhook of its own gets a secret when a job brings a URL.
std::string secret_of(store::Tx& tx, const Pipeline& pipeline) {
  if (!pipeline.webhook_secret.empty()) return pipeline.webhook_secret;
  tx.exec("UPDATE pipelines SET webhook_secret = $2 WHERE number = $1 AND webhook_secret = ''", pipeline.number,
          webhooks::new_secret());
  auto stored = tx.query("SELECT webhook_secret FROM pipelines WHERE number = $1", pipeline.number)
                    .one([](const store::Row& row) { return row.str(0); });
  return stored.value_or("");
}

// Sets its number.
void send_delivery(Call& call, const Pipeline& pipeline, JobDelivery& delivery) {
  delivery.next_attempt_at = call.now;
  delivery.number =
      call.tx
          .query("INSERT INTO pipeline_deliveries (job, message_id, event, url, body, status, attempts, created_at, "
                 "next_attempt_at, error) VALUES ($1, $2, $3, $4, $5, $6, 0, $7, $7, '') RETURNING number",
                 delivery.job, delivery.message_id, delivery.event, delivery.url, delivery.body, delivery.status,
                 delivery.created_at)
          .integer();
  webhooks::Delivery sent;
  sent.message_id = delivery.message_id;
  sent.account = pipeline.account;
  sent.url = delivery.url;
  const auto url = webhooks::parse_url(delivery.url);
  sent.endpoint = url ? url->endpoint() : delivery.url;
  sent.secret = secret_of(call.tx, pipeline);
  sent.body = delivery.body;
  sent.report_to = "pipelines";
  sent.context = std::to_string(delivery.number);
  // Without the bound of an account: each delivery belongs to a job, and none may be lost.
  const std::int64_t outbox = webhooks::enqueue_delivery(call.tx, sent, call.now);
  call.tx.exec("UPDATE pipeline_deliveries SET outbox = $2 WHERE number = $1", delivery.number, outbox);
  call.wake(webhooks::kTopic);
}

shapes::stoker::GetWebhookSecretResponse get_webhook_secret(Call& call,
                                                            const shapes::stoker::GetWebhookSecretRequest& request) {
  const auto pipeline = load_pipeline(call.tx, call.caller.account, call.caller.region, request.pipeline);
  if (!pipeline) throw ApiError("ResourceNotFoundException", "There is no pipeline '" + request.pipeline + "'.");
  return {secret_of(call.tx, *pipeline)};
}

std::optional<std::int64_t> delivery_number(std::string_view text) {
  std::int64_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || end.ec != std::errc() || end.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::int64_t> status_or_none(std::int64_t status) {
  return status > 0 ? std::optional(status) : std::nullopt;
}

void webhook_attempted(Call& call, const shapes::stoker::WebhookAttempted& attempt) {
  const auto number = delivery_number(attempt.context);
  if (!number) return;
  call.tx.exec("UPDATE pipeline_deliveries SET attempts = $2, last_attempt_at = $3, next_attempt_at = $4, "
               "response_status = $5, error = $6 WHERE number = $1",
               *number, attempt.attempts, call.now, attempt.nextAttemptAt, status_or_none(attempt.responseStatus),
               attempt.error);
}

void webhook_finished(Call& call, const shapes::stoker::WebhookFinished& finished) {
  const auto number = delivery_number(finished.context);
  if (!number) return;
  call.tx.exec("UPDATE pipeline_deliveries SET status = $2, attempts = $3, last_attempt_at = $4, finished_at = $4, "
               "next_attempt_at = NULL, response_status = $5, error = $6, outbox = NULL WHERE number = $1",
               *number, finished.delivered ? "DELIVERED" : "FAILED", finished.attempts, call.now,
               status_or_none(finished.responseStatus), finished.error);
}

}  // namespace

std::string ending_event(JobStatus status) { return status == JobStatus::Succeeded ? "job.succeeded" : "job.failed"; }

std::string message_id_of(const Pipeline& pipeline, const Job& job) {
  std::string id = "msg_" + pipeline.name + "_";
  for (char c : job.id) {
    if (c == '.') {
      id += "%2E";
    } else {
      id += c;
    }
  }
  // Ids of jobs have no '~', and names of pipelines no '_'.
  if (job.endings > 1) id += "~" + std::to_string(job.endings);
  return id;
}

void announce_ending(Call& call, const Pipeline& pipeline, const Job& job, std::string_view result) {
  const std::string& url = job.webhook_url.empty() ? pipeline.webhook_url : job.webhook_url;
  if (url.empty()) return;
  JobDelivery delivery;
  delivery.job = job.number;
  delivery.message_id = message_id_of(pipeline, job);
  delivery.event = ending_event(job.status);
  delivery.url = url;
  delivery.body = ending_body(call.tx, pipeline, job, result, call.now);
  delivery.created_at = call.now;
  send_delivery(call, pipeline, delivery);
}

std::optional<JobDelivery> last_delivery(store::Tx& tx, std::int64_t job) {
  static const std::string sql = kSelectDelivery + " WHERE job = $1 ORDER BY number DESC LIMIT 1";
  return tx.query(sql, job).one(read_delivery);
}

std::vector<JobDelivery> list_deliveries(store::Tx& tx, std::int64_t job) {
  static const std::string sql = kSelectDelivery + " WHERE job = $1 ORDER BY number DESC LIMIT $2";
  return tx.query(sql, job, kMaxDeliveries).all(read_delivery);
}

JobDelivery resend_delivery(Call& call, const Pipeline& pipeline, const Job& job, const std::string& delivery) {
  static const std::string sql = kSelectDelivery + " WHERE number = $1 AND job = $2";
  const auto number = delivery_number(delivery);
  auto found = number ? call.tx.query(sql, *number, job.number).one(read_delivery) : std::nullopt;
  if (!found) {
    throw ApiError("ResourceNotFoundException", "Job '" + job.id + "' has no delivery '" + delivery + "'.");
  }
  if (found->status == "PENDING") {
    throw ApiError("ConflictException", "Delivery " + delivery + " is still being attempted.");
  }
  const auto recorded =
      call.tx.query("SELECT count(*) FROM pipeline_deliveries WHERE job = $1", job.number).integer();
  if (recorded >= kMaxDeliveries) {
    throw ApiError("ConflictException", "Job '" + job.id + "' has " + std::to_string(kMaxDeliveries) +
                                            " deliveries already.");
  }
  JobDelivery again;
  again.job = job.number;
  again.message_id = found->message_id;
  again.event = found->event;
  again.url = found->url;
  again.body = std::move(found->body);
  again.created_at = call.now;
  send_delivery(call, pipeline, again);
  return again;
}

std::vector<Operation> webhook_secret_operations() {
  return {operation<&get_webhook_secret>("GetWebhookSecret", Access::Write)};
}

std::vector<Operation> delivery_operations() {
  return {operation<&webhook_attempted>("WebhookAttempted", Access::Write),
          operation<&webhook_finished>("WebhookFinished", Access::Write)};
}

}  // namespace services::pipelines
