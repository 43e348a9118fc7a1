// SPDX-License-Identifier: Apache-2.0
// Jobs of pipelines: the operations of the service `pipelines` for workers and for keys of the job API. The documents of
// that API are in docs/openapi.yaml.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "wire/traits.h"

namespace shapes::stoker {

// ReportJobs: a worker has begun with these items. Unknown and finished ones are skipped.
struct JobReport {
  std::string bucket;
  std::string key;
  std::string sequencer;  // of the event; "": the latest job of this key
  std::int64_t attempt = 1;
  std::string status;  // RUNNING
};
BOOST_DESCRIBE_STRUCT(JobReport, (), (bucket, key, sequencer, attempt, status))

struct ReportJobsRequest {
  std::string pipeline;
  std::string task;  // the ARN of the worker's task; "": it runs outside of a cluster
  std::vector<JobReport> jobs;
};
BOOST_DESCRIBE_STRUCT(ReportJobsRequest, (), (pipeline, task, jobs))
struct ReportJobsResponse {
  std::int64_t running = 0;  // how many of them are RUNNING now
};
BOOST_DESCRIBE_STRUCT(ReportJobsResponse, (), (running))

// A key of the job API: it is valid for one pipeline.
struct PipelineKey {
  std::string id;
  std::string pipeline;
  std::string name;  // what it is for; may be ""
  base::Time createdAt;
};
BOOST_DESCRIBE_STRUCT(PipelineKey, (), (id, pipeline, name, createdAt))

struct CreatePipelineKeyRequest {
  std::string pipeline;
  std::optional<std::string> name;
};
BOOST_DESCRIBE_STRUCT(CreatePipelineKeyRequest, (), (pipeline, name))
struct CreatePipelineKeyResponse {
  PipelineKey key;
  std::string secret;  // stk_...: shown here only, stored as a hash
};
BOOST_DESCRIBE_STRUCT(CreatePipelineKeyResponse, (), (key, secret))

struct ListPipelineKeysRequest {
  std::string pipeline;
};
BOOST_DESCRIBE_STRUCT(ListPipelineKeysRequest, (), (pipeline))
struct ListPipelineKeysResponse {
  std::vector<PipelineKey> keys;  // at most 100, the limit of a pipeline
};
BOOST_DESCRIBE_STRUCT(ListPipelineKeysResponse, (), (keys))

struct DeletePipelineKeyRequest {
  std::string pipeline;
  std::string id;
};
BOOST_DESCRIBE_STRUCT(DeletePipelineKeyRequest, (), (pipeline, id))

// The secret that the webhooks of a pipeline are signed with, those of single jobs too.
struct GetWebhookSecretRequest {
  std::string pipeline;
};
BOOST_DESCRIBE_STRUCT(GetWebhookSecretRequest, (), (pipeline))
struct GetWebhookSecretResponse {
  std::string secret;  // whsec_...
};
BOOST_DESCRIBE_STRUCT(GetWebhookSecretResponse, (), (secret))

}  // namespace shapes::stoker

template <>
inline constexpr auto wire::kTraits<shapes::stoker::GetWebhookSecretRequest> = wire::traits({
    {.member = "pipeline", .required = true},
});
template <>
inline constexpr auto wire::kTraits<shapes::stoker::GetWebhookSecretResponse> = wire::traits({
    {.member = "secret", .secret = true},
});
template <>
inline constexpr auto wire::kTraits<shapes::stoker::JobReport> = wire::traits({
    {.member = "bucket", .required = true},
    {.member = "key", .required = true},
});
template <>
inline constexpr auto wire::kTraits<shapes::stoker::ReportJobsRequest> = wire::traits({
    {.member = "pipeline", .required = true},
    {.member = "jobs", .required = true},
});
template <>
inline constexpr auto wire::kTraits<shapes::stoker::CreatePipelineKeyRequest> = wire::traits({
    {.member = "pipeline", .required = true},
    {.member = "name", .max = 128},
});
template <>
inline constexpr auto wire::kTraits<shapes::stoker::CreatePipelineKeyResponse> = wire::traits({
    {.member = "secret", .secret = true},
});
template <>
inline constexpr auto wire::kTraits<shapes::stoker::ListPipelineKeysRequest> = wire::traits({
    {.member = "pipeline", .required = true},
});
template <>
inline constexpr auto wire::kTraits<shapes::stoker::DeletePipelineKeyRequest> = wire::traits({
    {.member = "pipeline", .required = true},
    {.member = "id", .required = true},
});
