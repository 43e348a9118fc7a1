// SPDX-License-Identifier: Apache-2.0
// DeletePipeline: deletes the pipeline's resources and its jobs. A bucket with objects stays, unless its data is to be
// deleted as well, which may take several turns of the removal loop.
#include "services/directory.h"
#include "services/invoke.h"
#include "services/pipelines/definitions/definition_operations.h"
#include "services/pipelines/definitions/description.h"
#include "services/pipelines/definitions/reconciliation.h"
#include "services/pipelines/definitions/stored_resources.h"
#include "shapes/stoker/pipeline_hooks.h"

namespace services::pipelines {
namespace {

using namespace shapes::stoker;

constexpr char kDeleted[] = "DELETED", kDeleting[] = "DELETING";

DeletePipelineResponse remove_pipeline(Call& call, const DeletePipelineRequest& request) {
  if (find_removal(call, request.name)) return {.status = kDeleting};
  const Pipeline pipeline = require_pipeline(call, request.name);
  const Desired desired = desired_resources(stored_settings(pipeline), owner_of(pipeline), pipeline.paused);
  Reconciliation work{.call = call, .pipeline = pipeline.name, .owned = stored_resources(pipeline)};
  delete_scaling(work, desired);
  delete_workers(work, desired);
  const bool bucket_gone = release_bucket(work, desired);
  delete_queues(work, desired);
  delete_log_group(work, desired);
  if (call.directory->find("pipelines", "RemoveJobs")) {
    invoke(call, call.caller, "pipelines", "RemoveJobs", RemoveJobs{.pipeline = pipeline.number});
  }
  work.deleted("pipeline", pipeline.name);
  delete_pipeline(call.tx, pipeline.number);
  DeletePipelineResponse response{.status = kDeleted};
  if (!bucket_gone && request.deleteData.value_or(false)) {
    work.deleted("bucket", pipeline.bucket);
    add_removal(call, pipeline.name, pipeline.bucket);
    response.status = kDeleting;
  } else if (!bucket_gone) {
    response.keptBucket = pipeline.bucket;
  }
  response.changes = work.changes;
  return response;
}

}  // namespace

std::vector<Operation> pipeline_deletion_operations() {
  return {operation<&remove_pipeline>("DeletePipeline", Access::Write)};
}

}  // namespace services::pipelines
