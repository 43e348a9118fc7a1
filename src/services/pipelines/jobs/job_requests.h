// SPDX-License-Identifier: Apache-2.0
// What the door of the job API needs: its requests on the level of jobs, each in the caller's transaction. Errors are
// ResourceNotFoundException, ConflictException and ValidationException.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/pipelines/jobs/job_document.h"
#include "services/pipelines/jobs/job_identifiers.h"
#include "services/pipelines/jobs/job_row.h"

namespace services::pipelines {

// Whose pipelines a request may see: those of an account and region, or one.
struct JobScope {
  std::string account, region;
  std::optional<std::int64_t> pipeline = {};  // of a bearer key
};

// The scope of a bearer key; nullopt for an invalid one.
std::optional<JobScope> scope_of_key(store::Tx& tx, std::string_view key);

// All pipelines of an account in a region, by name.
std::vector<Pipeline> pipelines_of(store::Tx& tx, const std::string& account, const std::string& region);
// A pipeline outside of the scope does not exist.
Pipeline pipeline_in(store::Tx& tx, const JobScope& scope, const std::string& name);

struct NewJob {
  std::string id;  // checked; "": a new one
  std::string filename;
  std::string content_type;
  std::string content_hash;  // hexadecimal
  std::int64_t size = 0;
  std::int64_t priority = 0;
  JobMetadata metadata = {};
  std::string webhook_url = {};
};

struct Submission {
  Job job;
  bool is_new = false;  // the caller now writes the input to job.input_key, then calls finish_submission()
};
// Throws where the id exists with other content.
Submission submit_job(Call& call, const Pipeline& pipeline, const NewJob& request);
// Reloads the job, to which writing the input has attached a message. Throws where there is none.
Job finish_submission(Call& call, const Pipeline& pipeline, const Job& job);

struct FoundJob {
  Pipeline pipeline;
  Job job;
};
// `pipeline`: its name, where the request states one; "" otherwise.
FoundJob job_in(store::Tx& tx, const JobScope& scope, const std::string& id, const std::string& pipeline);

struct JobFilter {
  std::string pipeline = {};  // "": all of the scope
  std::optional<JobStatus> status = {};
  std::optional<base::Time> created_after = {};
  std::int64_t limit = 100;
  std::string cursor = {};
};
inline constexpr std::int64_t kMaxJobsPerPage = 1000;
// {"jobs": [...], "next_cursor": ...}, as JSON text.
std::string job_page(store::Tx& tx, const JobScope& scope, const JobFilter& filter);

std::string pipeline_summary(store::Tx& tx, const Pipeline& pipeline);

// These throw ConflictException where the job's status does not allow it. Cancelling a cancelled job is allowed.
void cancel(Call& call, FoundJob& found);
void retry(Call& call, FoundJob& found);

}  // namespace services::pipelines
