// SPDX-License-Identifier: Apache-2.0
// A paused pipeline has no workers; its items wait in the queue.
#include "services/pipelines/definitions/definition_operations.h"
#include "services/pipelines/definitions/description.h"
#include "services/pipelines/definitions/reconciliation.h"
#include "services/pipelines/definitions/stored_resources.h"

namespace services::pipelines {
namespace {

using namespace shapes::stoker;

Desired set_paused(Call& call, Pipeline& pipeline, bool paused) {
  pipeline.paused = paused;
  Desired desired = desired_resources(stored_settings(pipeline), owner_of(pipeline), paused);
  Reconciliation work{.call = call, .pipeline = pipeline.name, .owned = stored_resources(pipeline)};
  reconcile_scaling(work, desired);
  update_pipeline(call.tx, pipeline);
  return desired;
}

PausePipelineResponse pause_pipeline(Call& call, const PausePipelineRequest& request) {
  Pipeline pipeline = require_pipeline(call, request.name);
  if (!pipeline.paused) {
    const Desired desired = set_paused(call, pipeline, true);
    set_worker_count(call, desired.names, *desired.service.cluster, 0);
  }
  return {describe(call, pipeline, Detail::Full)};
}

ResumePipelineResponse resume_pipeline(Call& call, const ResumePipelineRequest& request) {
  Pipeline pipeline = require_pipeline(call, request.name);
  if (pipeline.paused) {
    const Desired desired = set_paused(call, pipeline, false);
    // Alarms that began during the pause repeat only once a minute.
    PipelineDescription now;
    show_items(call, desired.names, now);
    const int workers =
        workers_for(desired.scaling, now.items->queued + now.items->inFlight, *desired.target.MinCapacity);
    set_worker_count(call, desired.names, *desired.service.cluster, workers);
  }
  return {describe(call, pipeline, Detail::Full)};
}

}  // namespace

std::vector<Operation> pipeline_pause_operations() {
  return {
      operation<&pause_pipeline>("PausePipeline", Access::Write),
      operation<&resume_pipeline>("ResumePipeline", Access::Write),
  };
}

}  // namespace services::pipelines
