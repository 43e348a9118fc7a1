// SPDX-License-Identifier: Apache-2.0
// Pipelines: what a client requests, and what it is shown. Members of the spec are spelled as in its YAML file.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "wire/traits.h"

namespace shapes::stoker {

// Durations are texts: "20ms", "90s", "5m", "2h", "30d". docs/pipelines.md has the defaults.
struct PipelineSpec {
  std::string name;
  std::optional<std::string> builtin;  // "ocr"
  std::optional<std::string> image;
  std::optional<std::string> exec;     // a command for each item, with {input} and {output}
  std::optional<std::string> serve;    // a command that stays and gets batches of items
  std::optional<std::map<std::string, std::string>> environment;
  std::optional<std::string> cluster;
  std::optional<std::int32_t> gpus;        // whole GPUs of a worker
  std::optional<std::int32_t> gpu_memory;  // or a share of one: MiB
  std::optional<std::int32_t> cpu;         // units, 1024 per core
  std::optional<std::int32_t> memory;      // MiB, a limit
  std::optional<std::int32_t> min;         // workers
  std::optional<std::int32_t> max;
  std::optional<std::int32_t> batch;
  std::optional<std::string> linger;   // how long a batch waits for more items
  std::optional<std::string> timeout;  // of an item
  std::optional<std::int32_t> retries;
  std::optional<std::string> idle;     // without items, until the workers end
  std::optional<std::int32_t> items_per_task;  // of the backlog
  std::optional<std::string> webhook;
  std::optional<std::string> retention;  // of inputs, results, jobs and log lines
  std::optional<std::string> bucket;
  std::optional<std::vector<std::string>> languages;  // of the built-in ocr
  bool operator==(const PipelineSpec&) const = default;
};
BOOST_DESCRIBE_STRUCT(PipelineSpec, (), (name, builtin, image, exec, serve, environment, cluster, gpus, gpu_memory, cpu,
    memory, min, max, batch, linger, timeout, retries, idle, items_per_task, webhook, retention, bucket, languages))

// A difference between what the spec requires and what exists.
struct PipelineChange {
  std::string action;    // "create", "change" or "delete"
  std::string resource;  // "queue"
  std::string name;      // "stoker-ocr"
  std::optional<std::string> field;  // of "change"
  std::optional<std::string> before, after;
  bool operator==(const PipelineChange&) const = default;
};
BOOST_DESCRIBE_STRUCT(PipelineChange, (), (action, resource, name, field, before, after))

struct PipelineResource {
  std::string resource;
  std::string name;
  bool operator==(const PipelineResource&) const = default;
  auto operator<=>(const PipelineResource&) const = default;
};
BOOST_DESCRIBE_STRUCT(PipelineResource, (), (resource, name))

struct PipelineAlarm {
  std::string name;
  std::string state;
  std::string description;
};
BOOST_DESCRIBE_STRUCT(PipelineAlarm, (), (name, state, description))

struct PipelineWorkers {
  std::int32_t min = 0;
  std::int32_t max = 0;
  std::int32_t desired = 0;
  std::int32_t running = 0;
  std::int32_t pending = 0;
};
BOOST_DESCRIBE_STRUCT(PipelineWorkers, (), (min, max, desired, running, pending))

struct PipelineItems {
  std::int64_t queued = 0;
  std::int64_t inFlight = 0;
  std::int64_t failed = 0;  // in the dead-letter queue
};
BOOST_DESCRIBE_STRUCT(PipelineItems, (), (queued, inFlight, failed))

struct PipelineDescription {
  std::string name;
  std::string status;  // "ACTIVE", "PAUSED" or "DELETING"
  std::optional<base::Time> createdAt;
  std::optional<PipelineSpec> spec;
  std::optional<PipelineWorkers> workers;
  std::optional<PipelineItems> items;
  std::optional<std::string> bucket;
  std::optional<std::string> queueUrl;
  std::optional<std::string> failedQueueUrl;
  std::optional<std::string> cluster;
  std::optional<std::string> service;
  std::optional<std::string> taskDefinition;
  std::optional<std::string> logGroup;
  std::optional<std::vector<PipelineResource>> resources;
  std::optional<std::vector<PipelineAlarm>> alarms;
  std::optional<std::string> lastEvent;  // of the service
};
BOOST_DESCRIBE_STRUCT(PipelineDescription, (), (name, status, createdAt, spec, workers, items, bucket, queueUrl,
    failedQueueUrl, cluster, service, taskDefinition, logGroup, resources, alarms, lastEvent))

// Creates a pipeline, or changes it and its resources to what the spec requires. A dry run only finds the differences.
struct ApplyPipelineRequest {
  std::string spec;  // a PipelineSpec in JSON, as text: its unknown members are errors
  std::optional<bool> dryRun;
  std::optional<bool> createOnly;  // an error where the pipeline exists
};
BOOST_DESCRIBE_STRUCT(ApplyPipelineRequest, (), (spec, dryRun, createOnly))
struct ApplyPipelineResponse {
  std::vector<PipelineChange> changes;
  std::optional<PipelineDescription> pipeline;  // absent after a dry run
  std::optional<std::string> webhookSecret;     // whsec_...; only where it was just made
};
BOOST_DESCRIBE_STRUCT(ApplyPipelineResponse, (), (changes, pipeline, webhookSecret))

struct ListPipelinesRequest {
  std::optional<std::int32_t> maxResults;
  std::optional<std::string> nextToken;
};
BOOST_DESCRIBE_STRUCT(ListPipelinesRequest, (), (maxResults, nextToken))
struct ListPipelinesResponse {
  std::vector<PipelineDescription> pipelines;
  std::optional<std::string> nextToken;
};
BOOST_DESCRIBE_STRUCT(ListPipelinesResponse, (), (pipelines, nextToken))

struct DescribePipelineRequest {
  std::string name;
};
BOOST_DESCRIBE_STRUCT(DescribePipelineRequest, (), (name))
struct DescribePipelineResponse {
  PipelineDescription pipeline;
};
BOOST_DESCRIBE_STRUCT(DescribePipelineResponse, (), (pipeline))

struct DeletePipelineRequest {
  std::string name;
  std::optional<bool> deleteData;  // else a bucket with objects stays
};
BOOST_DESCRIBE_STRUCT(DeletePipelineRequest, (), (name, deleteData))
struct DeletePipelineResponse {
  std::vector<PipelineChange> changes;
  std::optional<std::string> keptBucket;
  std::string status;  // "DELETED", or "DELETING" while the bucket is emptied
};
BOOST_DESCRIBE_STRUCT(DeletePipelineResponse, (), (changes, keptBucket, status))

struct PausePipelineRequest {
  std::string name;
};
BOOST_DESCRIBE_STRUCT(PausePipelineRequest, (), (name))
struct PausePipelineResponse {
  PipelineDescription pipeline;
};
BOOST_DESCRIBE_STRUCT(PausePipelineResponse, (), (pipeline))

struct ResumePipelineRequest {
  std::string name;
};
BOOST_DESCRIBE_STRUCT(ResumePipelineRequest, (), (name))
struct ResumePipelineResponse {
  PipelineDescription pipeline;
};
BOOST_DESCRIBE_STRUCT(ResumePipelineResponse, (), (pipeline))

}  // namespace shapes::stoker

template <>
inline constexpr auto wire::kTraits<shapes::stoker::PipelineSpec> = wire::traits({
    {.member = "name", .required = true},
});
template <>
inline constexpr auto wire::kTraits<shapes::stoker::ApplyPipelineRequest> = wire::traits({
    {.member = "spec", .required = true},
});
template <>
inline constexpr auto wire::kTraits<shapes::stoker::DescribePipelineRequest> = wire::traits({
    {.member = "name", .required = true},
});
template <>
inline constexpr auto wire::kTraits<shapes::stoker::DeletePipelineRequest> = wire::traits({
    {.member = "name", .required = true},
});
template <>
inline constexpr auto wire::kTraits<shapes::stoker::PausePipelineRequest> = wire::traits({
    {.member = "name", .required = true},
});
template <>
inline constexpr auto wire::kTraits<shapes::stoker::ResumePipelineRequest> = wire::traits({
    {.member = "name", .required = true},
});
