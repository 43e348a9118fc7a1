// SPDX-License-Identifier: Apache-2.0
#include "doors/jobs/door_request.h"

#include "doors/jobs/problem.h"

namespace doors::jobs {
namespace pipelines = services::pipelines;

std::vector<std::string_view> known_parameters(Action action) {
  switch (action) {
    case Action::ListJobs: return {"pipeline", "status", "created_after", "limit", "cursor"};
    case Action::ListPipelineJobs: return {"status", "created_after", "limit", "cursor"};
    case Action::ShowPipeline:
    case Action::PipelineEvents:
    case Action::SubmitJob: return {};
    default: return {"pipeline"};
  }
}

void add_applied_wait(std::optional<base::Duration> wait, http::Response& response) {
  if (!wait) return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*wait).count();
  response.headers.set("Preference-Applied", "wait=" + std::to_string(seconds));
}

void require_result(const pipelines::Job& job) {
  if (job.status == pipelines::JobStatus::Succeeded) return;
  const std::string status(text(job.status));
  std::string detail = "Job '" + job.id + "' is " + status;
  detail += pipelines::is_over(job.status) ? " and has no result." : ". Its result does not exist yet.";
  if (job.status == pipelines::JobStatus::Failed) detail += " " + job.error.type + ": " + job.error.message;
  Problem problem(409, detail);
  problem.job_status = status;
  throw problem;
}

services::Caller owner_of(const services::Caller& caller, const pipelines::Pipeline& pipeline) {
  services::Caller owner;
  owner.account = pipeline.account;
  owner.region = pipeline.region;
  owner.endpoint = caller.endpoint;
  owner.request_id = caller.request_id;
  owner.address = caller.address;
  return owner;
}

}  // namespace doors::jobs
