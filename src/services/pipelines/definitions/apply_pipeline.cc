// SPDX-License-Identifier: Apache-2.0
// ApplyPipeline: creates a pipeline, or changes it and repairs its resources, in one transaction.
#include "services/pipelines/definitions/definition_operations.h"
#include "services/pipelines/definitions/description.h"
#include "services/pipelines/definitions/reconciliation.h"
#include "services/pipelines/definitions/stored_resources.h"
#include "services/pipelines/jobs/job_identifiers.h"
#include "services/pipelines/operations.h"
#include "webhooks/signature.h"
#include "wire/error.h"

namespace services::pipelines {
namespace {

using namespace shapes::stoker;

constexpr std::int64_t kMaxPipelines = 1000;  // of an account in a region
constexpr char kPipelineKind[] = "pipeline";

void check_applicable(Call& call, const ApplyPipelineRequest& request, const Settings& settings,
                      const std::optional<Pipeline>& standing) {
  if (!standing) {
    if (find_removal(call, settings.name)) require_pipeline(call, settings.name);
    const auto count = call.tx.query("SELECT count(*) FROM pipelines WHERE account = $1 AND region = $2",
                                     call.caller.account, call.caller.region)
                           .integer();
    if (count >= kMaxPipelines) {
      throw wire::ApiError("LimitExceededException", "The account has 1000 pipelines already. Delete one first.");
    }
    return;
  }
  if (request.createOnly.value_or(false)) {
    throw wire::ApiError("ConflictException", "The pipeline '" + settings.name +
                                                  "' exists already. Change it with 'stoker pipeline apply'.");
  }
  const Settings before = stored_settings(*standing);
  if (settings.cluster != before.cluster) {
    throw wire::ApiError("ValidationException", "The cluster of a pipeline can't change from '" + before.cluster +
                                                    "' to '" + settings.cluster + "'. Delete the pipeline and create it "
                                                    "again: its data stays.");
  }
  if (resource_names(settings, owner_of(*standing)).bucket != standing->bucket) {
    throw wire::ApiError("ValidationException", "The bucket of a pipeline can't change from '" + standing->bucket +
                                                    "'. Create a pipeline with another name.");
  }
}

// Otherwise no delivery would ever succeed. A standing one does not prevent other changes.
void check_new_webhook(Call& call, const Settings& settings, const std::optional<Pipeline>& standing) {
  if (settings.webhook.empty() || (standing && standing->webhook_url == settings.webhook)) return;
  check_webhook_url(settings.webhook, call.local<WebhookRule>().private_networks);
}

// A bucket or queue of another pipeline: its resources are tagged for that one.
void check_bucket_is_free(Call& call, const std::string& bucket, std::int64_t number) {
  const auto other = pipeline_of_bucket(call.tx, bucket);
  if (!other || other->number == number) return;
  throw wire::ApiError("ConflictException", "The bucket '" + bucket + "' belongs to the pipeline '" + other->name +
                                                "'. Nothing was changed. Set another bucket in the spec.");
}

void reconcile_all(Reconciliation& work, const Desired& desired) {
  reconcile_log_group(work, desired);
  reconcile_queues(work, desired);
  reconcile_bucket(work, desired);
  reconcile_workers(work, desired);
  reconcile_scaling(work, desired);
  // A larger minimum has started workers.
  if (desired.paused && !work.dry_run && !work.changes.empty()) {
    set_worker_count(work.call, desired.names, *desired.service.cluster, 0);
  }
}

// The row's own members. True: the webhook has a new secret.
bool fill_row(Pipeline& row, const PipelineSpec& spec, const Settings& settings, const Desired& desired) {
  row.name = settings.name;
  row.spec_json = to_json(spec);
  row.bucket = desired.names.bucket;
  row.queue_arn = desired.names.queue_arn;
  row.failed_queue_arn = desired.names.failed_queue_arn;
  row.max_attempts = settings.retries + 1;
  row.retention_days = settings.retention_days;
  row.webhook_url = settings.webhook;
  // A secret stays when the webhook goes: jobs may have webhooks of their own.
  if (settings.webhook.empty() || !row.webhook_secret.empty()) return false;
  row.webhook_secret = webhooks::new_secret();
  return true;
}

// What no resource shows.
void compare_rows(Reconciliation& work, const Pipeline& before, const Pipeline& after) {
  Comparison comparison(work, kPipelineKind, after.name);
  comparison.text("webhook", before.webhook_url, after.webhook_url);
  comparison.number("retention_days", before.retention_days, after.retention_days);
}

ApplyPipelineResponse apply_pipeline(Call& call, const ApplyPipelineRequest& request) {
  const PipelineSpec spec = parse_spec(request.spec);
  const Settings settings = check_spec(spec);
  const auto standing = load_pipeline(call.tx, call.caller.account, call.caller.region, settings.name);
  check_applicable(call, request, settings, standing);
  check_new_webhook(call, settings, standing);
  Pipeline row;
  if (standing) row = *standing;
  const Desired desired = desired_resources(settings, {call.caller.account, call.caller.region}, row.paused);
  check_bucket_is_free(call, desired.names.bucket, row.number);

  Reconciliation work{.call = call, .pipeline = settings.name, .dry_run = request.dryRun.value_or(false)};
  if (standing) work.owned = stored_resources(*standing);
  ApplyPipelineResponse response;
  const bool new_secret = fill_row(row, spec, settings, desired);
  if (standing) {
    compare_rows(work, *standing, row);
  } else {
    work.created(kPipelineKind, settings.name);
  }
  reconcile_all(work, desired);
  response.changes = work.changes;
  if (work.dry_run) return response;
  row.resources_json = resources_text(work.present);
  if (!standing) {
    row.account = call.caller.account;
    row.region = call.caller.region;
    row.created_at = call.now;
    insert_pipeline(call.tx, row);
  } else if (row.spec_json != standing->spec_json || !work.changes.empty()) {
    update_pipeline(call.tx, row);
  }
  if (new_secret) response.webhookSecret = row.webhook_secret;
  response.pipeline = describe(call, row, Detail::Full);
  return response;
}

}  // namespace

std::vector<Operation> pipeline_apply_operations() {
  return {operation<&apply_pipeline>("ApplyPipeline", Access::Write)};
}

}  // namespace services::pipelines
