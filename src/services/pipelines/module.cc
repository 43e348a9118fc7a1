// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/module.h"

#include "services/pipelines/operations.h"
#include "services/pipelines/pipeline_row.h"
#include "shapes/stoker/pipeline_names.h"

namespace services::pipelines {
namespace {

constexpr std::size_t kBodyLimit = 1u << 20;

std::optional<wire::ApiError> violation_error(const std::vector<wire::Violation>& violations) {
  return wire::ApiError("ValidationException", wire::validation_message(violations));
}

Service make_service() {
  Service pipelines;
  pipelines.wire = shapes::stoker::kPipelineService;
  pipelines.signing_name = "pipelines";
  pipelines.protocols = {wire::Protocol::Json11};
  pipelines.body_limit = kBodyLimit;
  pipelines.operations = definition_operations();
  for (const Operation& row : job_operations()) pipelines.operations.push_back(row);
  pipelines.violation_error = &violation_error;
  return pipelines;
}

}  // namespace

Module module(const Options& options) {
  Module pipelines;
  pipelines.service = make_service();
  pipelines.add_memory = [rule = WebhookRule{options.webhook_private_networks}](Locals& locals) {
    locals.add<WebhookRule>(rule);
  };
  pipelines.internal_operations = internal_job_operations();
  pipelines.migrations = migrations();
  pipelines.loops = definition_loops();
  for (Loop& loop : job_loops()) pipelines.loops.push_back(std::move(loop));
  return pipelines;
}

}  // namespace services::pipelines
