// SPDX-License-Identifier: Apache-2.0
// ReportJobs: workers report which items they have begun with.
#include <algorithm>

#include "services/arn.h"
#include "services/pipelines/jobs/job_changes.h"
#include "services/pipelines/jobs/job_reports.h"
#include "shapes/stoker/job.h"
#include "state/cluster.h"
#include "state/machine.h"
#include "state/task.h"
#include "wire/error.h"

namespace services::pipelines {
namespace {

using shapes::stoker::JobReport;
using shapes::stoker::ReportJobsRequest;
using shapes::stoker::ReportJobsResponse;
using wire::ApiError;

constexpr std::size_t kMaxReports = 1000;
constexpr std::size_t kMaxTaskArn = 512;
constexpr std::int64_t kReportedJobsOfKey = 10;

// Where a task runs. Only its ARN, for one that Stoker does not run.
WorkerPlace place_of_task(Call& call, const std::string& arn_text) {
  WorkerPlace place{.task_arn = arn_text};
  const auto arn = parse_arn(arn_text, "ecs");
  if (!arn || arn->account != call.caller.account) return place;
  const std::string id(arn->resource.substr(arn->resource.rfind('/') + 1));
  const auto task = state::find_task(call.tx, model::TaskId(id));
  const auto cluster = task ? state::find_cluster(call.tx, task->cluster) : std::nullopt;
  if (!cluster || cluster->account != call.caller.account) return place;
  const auto machine = state::find_machine(call.tx, task->machine);
  if (machine) place.machine = machine->name;
  for (const model::GpuHold& hold : task->hold.gpus) {
    place.gpu_ids += (place.gpu_ids.empty() ? "" : " ") + hold.gpu.str();
  }
  return place;
}

std::optional<Job> reported_job(store::Tx& tx, std::int64_t lot, const JobReport& report) {
  for (Job& job : list_jobs_of_key(tx, lot, report.key, kReportedJobsOfKey)) {
    if (report.sequencer.empty() || job.sequencer == report.sequencer) return std::move(job);
  }
  return std::nullopt;
}

ReportJobsResponse report_jobs(Call& call, const ReportJobsRequest& request) {
  if (request.jobs.size() > kMaxReports) {
    throw ApiError("ValidationException", "At most 1000 jobs can be reported at once.");
  }
  if (request.task.size() > kMaxTaskArn) throw ApiError("ValidationException", "The task's ARN is too long.");
  for (const JobReport& report : request.jobs) {
    if (report.status == text(JobStatus::Running)) continue;
    throw ApiError("ValidationException", "The status '" + report.status + "' can't be reported: only RUNNING. Results "
                                          "and errors are objects in the bucket.");
  }
  const auto pipeline = load_pipeline(call.tx, call.caller.account, call.caller.region, request.pipeline);
  if (!pipeline) {
    throw ApiError("ResourceNotFoundException", "There is no pipeline '" + request.pipeline + "'.");
  }
  const std::int64_t lot = find_lot(call.tx, pipeline->number);
  const WorkerPlace place = place_of_task(call, request.task);
  ReportJobsResponse response;
  for (const JobReport& report : request.jobs) {
    if (report.bucket != pipeline->bucket) continue;
    auto job = reported_job(call.tx, lot, report);
    if (!job) continue;
    const std::int64_t receive = std::max<std::int64_t>(report.attempt, 1);
    // A repeated report changes nothing.
    const bool known = job->status == JobStatus::Running && job->task_arn == place.task_arn &&
                       job->receives >= receive;
    if (known || start_job(call, *pipeline, *job, receive, place)) ++response.running;
  }
  return response;
}

}  // namespace

std::vector<Operation> report_operations() { return {operation<&report_jobs>("ReportJobs", Access::Write)}; }

}  // namespace services::pipelines
