// SPDX-License-Identifier: Apache-2.0
// Rows of pipelines: what was requested, and the names of the resources that were made of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "services/call.h"
#include "store/store.h"

namespace services::pipelines {

// Where a pipeline's bucket has what. A result has the name of its input: in/a/b.png -> out/a/b.png.json.
inline constexpr char kInputs[] = "in/";
inline constexpr char kResults[] = "out/";
inline constexpr char kErrors[] = "errors/";

struct Pipeline {
  std::int64_t number = 0;
  std::string account, region, name;
  std::int64_t version = 1;
  std::string spec_json;        // shapes::stoker::PipelineSpec
  std::string resources_json;   // only definitions/ interprets it
  std::string bucket;
  std::string queue_arn, failed_queue_arn;
  std::string webhook_url;      // "": none
  std::string webhook_secret;   // whsec_...; "" where there is no webhook
  std::int64_t max_attempts = 3;    // of a job, until it fails
  std::int64_t retention_days = 0;  // of finished jobs; 0: for ever
  bool paused = false;
  base::Time created_at;
};

store::Migrations migrations();

// Woken by each change of a job of this pipeline.
std::string pipeline_topic(std::int64_t pipeline);

std::optional<Pipeline> load_pipeline(store::Tx& tx, const std::string& account, const std::string& region,
                                      const std::string& name);
std::optional<Pipeline> load_pipeline(store::Tx& tx, std::int64_t number);
std::optional<Pipeline> pipeline_of_bucket(store::Tx& tx, const std::string& bucket);
std::optional<Pipeline> pipeline_of_queue(store::Tx& tx, const std::string& queue_arn);
// After the name `after`, at most so many, by name.
std::vector<Pipeline> list_pipelines(store::Tx& tx, const std::string& account, const std::string& region,
                                     const std::string& after, std::int64_t most);

// Sets its number.
void insert_pipeline(store::Tx& tx, Pipeline& pipeline);
// Increments its version.
void update_pipeline(store::Tx& tx, Pipeline& pipeline);
void delete_pipeline(store::Tx& tx, std::int64_t number);

}  // namespace services::pipelines
