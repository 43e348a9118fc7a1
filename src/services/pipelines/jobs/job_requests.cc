// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/jobs/job_requests.h"

#include <boost/json.hpp>

#include "services/pipelines/jobs/job_changes.h"
#include "services/pipelines/jobs/pipeline_keys.h"
#include "state/cluster.h"
#include "state/service.h"
#include "wire/error.h"

namespace services::pipelines {
namespace {

namespace json = boost::json;
using wire::ApiError;

ApiError no_job(const std::string& id) {
  return ApiError("ResourceNotFoundException", "There is no job '" + id + "'.");
}

ApiError wrong_status(const Job& job, const char* what) {
  return ApiError("ConflictException",
                  "Job '" + job.id + "' is " + std::string(text(job.status)) + " and can't be " + what + ".")
      .with("job_status", std::string(text(job.status)));
}

// Numbers of the specification that the summary shows.
struct SpecNumbers {
  std::int64_t min = 0, max = 0;
  std::string cluster = "default";
};

SpecNumbers read_spec(const Pipeline& pipeline) {
  SpecNumbers numbers;
  json::error_code error;
  const json::value parsed = json::parse(pipeline.spec_json, error);
  if (error || !parsed.is_object()) return numbers;
  auto integer = [&](const char* name, std::int64_t otherwise) {
    const json::value* value = parsed.get_object().if_contains(name);
    return value && value->is_int64() ? value->get_int64() : otherwise;
  };
  numbers.min = integer("min", 0);
  numbers.max = integer("max", 1);
  const json::value* cluster = parsed.get_object().if_contains("cluster");
  if (cluster && cluster->is_string() && !cluster->get_string().empty()) numbers.cluster = cluster->get_string();
  return numbers;
}

std::int64_t count_workers(store::Tx& tx, const Pipeline& pipeline, const std::string& cluster_name) {
  const auto cluster = state::find_cluster(tx, state::ClusterKey{pipeline.account, pipeline.region, cluster_name});
  const auto service = cluster ? state::find_service(tx, cluster->number, "stoker-" + pipeline.name) : std::nullopt;
  if (!service) return 0;
  std::int64_t running = 0;
  for (const auto& [deployment, counts] : state::count_service_tasks(tx, service->number)) running += counts.running;
  return running;
}

}  // namespace

std::optional<JobScope> scope_of_key(store::Tx& tx, std::string_view key) {
  const auto number = pipeline_of_key(tx, key);
  const auto pipeline = number ? load_pipeline(tx, *number) : std::nullopt;
  if (!pipeline) return std::nullopt;
  return JobScope{pipeline->account, pipeline->region, pipeline->number};
}

Pipeline pipeline_in(store::Tx& tx, const JobScope& scope, const std::string& name) {
  auto pipeline = load_pipeline(tx, scope.account, scope.region, name);
  if (!pipeline || (scope.pipeline && *scope.pipeline != pipeline->number)) {
    throw ApiError("ResourceNotFoundException", "There is no pipeline '" + name + "' for this key.");
  }
  return std::move(*pipeline);
}

Submission submit_job(Call& call, const Pipeline& pipeline, const NewJob& request) {
  const std::int64_t lot = open_lot(call.tx, pipeline.number);
  if (!request.id.empty()) {
    if (auto existing = find_job(call.tx, lot, request.id)) {
      if (existing->content_hash == request.content_hash && existing->size == request.size) {
        return {std::move(*existing), false};
      }
      throw ApiError("ConflictException", "Job '" + request.id + "' exists with another input. Use another id.")
          .with("job_status", std::string(text(existing->status)));
    }
  }
  Job job;
  job.lot = lot;
  job.id = request.id.empty() ? new_job_id() : request.id;
  job.created_at = job.queued_at = call.now;
  job.priority = request.priority;
  job.metadata_json = metadata_json(request.metadata);
  job.input_key = kInputs + job.id + "/" + request.filename;
  job.size = request.size;
  job.content_type = request.content_type;
  job.content_hash = request.content_hash;
  job.webhook_url = request.webhook_url;
  insert_job(call, pipeline, job);
  return {std::move(job), true};
}

Job finish_submission(Call& call, const Pipeline& pipeline, const Job& job) {
  auto queued = load_job(call.tx, job.number);
  if (!queued || queued->message_id.empty()) {
    throw ApiError("ConflictException", "The bucket " + pipeline.bucket + " does not notify the queue of pipeline '" +
                                            pipeline.name + "': its notification, or the queue's policy, was changed. "
                                            "Apply the pipeline again.");
  }
  prioritize_job(call, pipeline, *queued);
  return std::move(*queued);
}

FoundJob job_in(store::Tx& tx, const JobScope& scope, const std::string& id, const std::string& name) {
  if (!is_job_id(id)) throw no_job(id.substr(0, kMaxJobId));
  std::vector<Pipeline> candidates;
  if (!name.empty()) {
    candidates.push_back(pipeline_in(tx, scope, name));
  } else if (scope.pipeline) {
    if (auto only = load_pipeline(tx, *scope.pipeline)) candidates.push_back(std::move(*only));
  } else {
    candidates = pipelines_of(tx, scope.account, scope.region);
  }
  std::optional<FoundJob> found;
  for (Pipeline& pipeline : candidates) {
    auto job = find_job(tx, find_lot(tx, pipeline.number), id);
    if (!job) continue;
    if (found) {
      throw ApiError("ConflictException", "Several pipelines have a job '" + id + "': '" + found->pipeline.name +
                                              "' and '" + pipeline.name + "'. Add the parameter pipeline=NAME.");
    }
    found = FoundJob{std::move(pipeline), std::move(*job)};
  }
  if (!found) throw no_job(id);
  return std::move(*found);
}

std::string pipeline_summary(store::Tx& tx, const Pipeline& pipeline) {
  const JobCounts counts = count_jobs(tx, pipeline.number);
  const SpecNumbers spec = read_spec(pipeline);
  json::object summary;
  summary["name"] = pipeline.name;
  summary["paused"] = pipeline.paused;
  summary["queued"] = counts.queued;
  summary["running"] = counts.running;
  summary["succeeded"] = counts.succeeded;
  summary["failed"] = counts.failed;
  summary["cancelled"] = counts.cancelled;
  summary["workers"] = count_workers(tx, pipeline, spec.cluster);
  summary["min"] = spec.min;
  summary["max"] = spec.max;
  return json::serialize(summary);
}

void cancel(Call& call, FoundJob& found) {
  if (found.job.status == JobStatus::Cancelled) return;
  if (!cancel_job(call, found.pipeline, found.job)) throw wrong_status(found.job, "cancelled");
}

void retry(Call& call, FoundJob& found) {
  if (!retry_job(call, found.pipeline, found.job)) throw wrong_status(found.job, "retried");
}

}  // namespace services::pipelines
