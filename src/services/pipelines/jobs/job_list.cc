// SPDX-License-Identifier: Apache-2.0
// Lists of jobs, newest first, over the statuses and pipelines that a filter allows.
#include <algorithm>
#include <charconv>

#include "services/pipelines/jobs/job_requests.h"
#include "wire/error.h"

namespace services::pipelines {
namespace {

constexpr std::int64_t kPipelinesPerRead = 100;
constexpr JobStatus kStatuses[] = {JobStatus::Queued, JobStatus::Running, JobStatus::Succeeded, JobStatus::Failed,
                                   JobStatus::Cancelled};

std::string cursor_of(const Job& job) {
  return std::to_string(base::to_millis(job.created_at)) + "-" + std::to_string(job.number);
}

std::optional<JobPosition> read_cursor(std::string_view cursor) {
  if (cursor.empty()) return std::nullopt;
  const char* end = cursor.data() + cursor.size();
  std::int64_t millis = 0, number = 0;
  const auto first = std::from_chars(cursor.data(), end, millis);
  const bool separated = first.ec == std::errc() && first.ptr < end && *first.ptr == '-';
  const auto second = separated ? std::from_chars(first.ptr + 1, end, number) : first;
  if (!separated || second.ec != std::errc() || second.ptr != end) {
    throw wire::ApiError("ValidationException", "The cursor is invalid: use next_cursor of the page before.");
  }
  return JobPosition{base::from_millis(millis), number};
}

bool is_newer(const Job& a, const Job& b) {
  return a.created_at != b.created_at ? a.created_at > b.created_at : a.number > b.number;
}

}  // namespace

std::vector<Pipeline> pipelines_of(store::Tx& tx, const std::string& account, const std::string& region) {
  std::vector<Pipeline> all;
  for (std::string after;;) {
    std::vector<Pipeline> page = list_pipelines(tx, account, region, after, kPipelinesPerRead);
    const bool last = page.size() < static_cast<std::size_t>(kPipelinesPerRead);
    if (!page.empty()) after = page.back().name;
    for (Pipeline& pipeline : page) all.push_back(std::move(pipeline));
    if (last) return all;
  }
}

std::string job_page(store::Tx& tx, const JobScope& scope, const JobFilter& filter) {
  std::vector<Pipeline> pipelines;
  if (!filter.pipeline.empty()) {
    pipelines.push_back(pipeline_in(tx, scope, filter.pipeline));
  } else if (scope.pipeline) {
    if (auto only = load_pipeline(tx, *scope.pipeline)) pipelines.push_back(std::move(*only));
  } else {
    pipelines = pipelines_of(tx, scope.account, scope.region);
  }
  JobRange range{.before = read_cursor(filter.cursor), .created_after = filter.created_after, .most = filter.limit + 1};
  std::vector<std::pair<Job, const Pipeline*>> found;
  for (const Pipeline& pipeline : pipelines) {
    range.lot = find_lot(tx, pipeline.number);
    for (JobStatus status : kStatuses) {
      if (range.lot == 0 || (filter.status && *filter.status != status)) continue;
      range.status = status;
      for (Job& job : list_jobs(tx, range)) found.emplace_back(std::move(job), &pipeline);
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return is_newer(a.first, b.first); });
  const bool more = found.size() > static_cast<std::size_t>(filter.limit);
  if (more) found.resize(static_cast<std::size_t>(filter.limit));
  std::string page = R"({"jobs":[)";
  for (const auto& [job, pipeline] : found) {
    if (&job != &found.front().first) page += ',';
    page += job_document(tx, *pipeline, job);
  }
  page += R"(],"next_cursor":)" + (more ? '"' + cursor_of(found.back().first) + '"' : std::string("null")) + "}";
  return page;
}

}  // namespace services::pipelines
