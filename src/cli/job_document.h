// SPDX-License-Identifier: Apache-2.0
// The documents of the job API, as far as the command line shows them.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "wire/traits.h"

namespace cli {

struct JobInput {
  std::string bucket;
  std::string key;
  std::optional<std::int64_t> size;
  std::optional<std::string> content_type;
};
BOOST_DESCRIBE_STRUCT(JobInput, (), (bucket, key, size, content_type))

struct JobResult {
  std::string bucket;
  std::string key;
  std::optional<std::string> url;
};
BOOST_DESCRIBE_STRUCT(JobResult, (), (bucket, key, url))

struct JobError {
  std::optional<std::string> type;
  std::optional<std::string> message;
};
BOOST_DESCRIBE_STRUCT(JobError, (), (type, message))

struct JobWebhook {
  std::optional<std::string> url;
  std::optional<std::string> status;
  std::optional<std::int64_t> attempts;
  std::optional<std::string> error;  // of the last attempt
};
BOOST_DESCRIBE_STRUCT(JobWebhook, (), (url, status, attempts, error))

struct JobDocument {
  std::string task_id;
  std::string pipeline;
  std::string status;  // QUEUED, RUNNING, SUCCEEDED, FAILED, CANCELLED
  std::optional<std::string> created_at, started_at, finished_at;  // RFC 3339
  std::optional<std::int64_t> attempts, priority;
  std::optional<std::map<std::string, std::string>> metadata;
  std::optional<JobInput> input;
  std::optional<JobResult> result;
  std::optional<JobError> error;
  std::optional<std::string> task_arn, machine;
  std::optional<std::vector<std::string>> gpu_ids;
  std::optional<JobWebhook> webhook;

  bool is_over() const { return status == "SUCCEEDED" || status == "FAILED" || status == "CANCELLED"; }
};
BOOST_DESCRIBE_STRUCT(JobDocument, (),
                      (task_id, pipeline, status, created_at, started_at, finished_at, attempts, priority, metadata,
                       input, result, error, task_arn, machine, gpu_ids, webhook))

struct JobPage {
  std::vector<JobDocument> jobs;
  std::optional<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(JobPage, (), (jobs, next_cursor))

struct PipelineSummary {
  std::string name;
  std::optional<bool> paused;
  std::optional<std::int64_t> queued, running, failed, succeeded;
  std::optional<std::int64_t> workers, min, max;
};
BOOST_DESCRIBE_STRUCT(PipelineSummary, (), (name, paused, queued, running, failed, succeeded, workers, min, max))

}  // namespace cli
