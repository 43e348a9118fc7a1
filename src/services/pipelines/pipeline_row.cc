// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/pipeline_row.h"

#include "services/pipelines/jobs/job_schema.h"

namespace services::pipelines {
namespace {

constexpr char kPipelines[] = R"sql(
CREATE TABLE pipelines (
  number INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  spec TEXT NOT NULL,
  resources TEXT NOT NULL,
  bucket TEXT NOT NULL UNIQUE,
  queue_arn TEXT NOT NULL UNIQUE,
  failed_queue_arn TEXT NOT NULL,
  webhook_url TEXT NOT NULL,           -- '': none
  webhook_secret TEXT NOT NULL,
  max_receives INTEGER NOT NULL,
  retention_days INTEGER NOT NULL,     -- 0: for ever
  paused INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (account, region, name)
);
-- Deleted pipelines whose bucket is still being emptied.
CREATE TABLE pipeline_removals (
  number INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  name TEXT NOT NULL,
  bucket TEXT NOT NULL,
  due_at INTEGER NOT NULL,
  problem TEXT NOT NULL,               -- of the last attempt; '': none
  created_at INTEGER NOT NULL,
  UNIQUE (account, region, name)
);
)sql";

const std::string kPipelineColumns =
    "number, account, region, name, version, spec, resources, bucket, queue_arn, failed_queue_arn, webhook_url, "
    "webhook_secret, max_receives, retention_days, paused, created_at";
const std::string kSelectPipeline = "SELECT " + kPipelineColumns + " FROM pipelines";

Pipeline read_pipeline(const store::Row& row) {
  Pipeline pipeline;
  pipeline.number = row.integer(0);
  pipeline.account = row.str(1);
  pipeline.region = row.str(2);
  pipeline.name = row.str(3);
  pipeline.version = row.integer(4);
  pipeline.spec_json = row.str(5);
  pipeline.resources_json = row.str(6);
  pipeline.bucket = row.str(7);
  pipeline.queue_arn = row.str(8);
  pipeline.failed_queue_arn = row.str(9);
  pipeline.webhook_url = row.str(10);
  pipeline.webhook_secret = row.str(11);
  pipeline.max_attempts = row.integer(12);
  pipeline.retention_days = row.integer(13);
  pipeline.paused = row.boolean(14);
  pipeline.created_at = row.time(15);
  return pipeline;
}

}  // namespace

store::Migrations migrations() { return {"pipelines", {std::string(kPipelines) + kJobTables, kJobReceives}}; }

std::string pipeline_topic(std::int64_t pipeline) { return "pipelines/" + std::to_string(pipeline); }

std::optional<Pipeline> load_pipeline(store::Tx& tx, const std::string& account, const std::string& region,
                                      const std::string& name) {
  static const std::string sql = kSelectPipeline + " WHERE account = $1 AND region = $2 AND name = $3";
  if (name.find('\0') != name.npos) return std::nullopt;
  return tx.query(sql, account, region, name).one(read_pipeline);
}

std::optional<Pipeline> load_pipeline(store::Tx& tx, std::int64_t number) {
  static const std::string sql = kSelectPipeline + " WHERE number = $1";
  return tx.query(sql, number).one(read_pipeline);
}

std::optional<Pipeline> pipeline_of_bucket(store::Tx& tx, const std::string& bucket) {
  static const std::string sql = kSelectPipeline + " WHERE bucket = $1";
  return tx.query(sql, bucket).one(read_pipeline);
}

std::optional<Pipeline> pipeline_of_queue(store::Tx& tx, const std::string& queue_arn) {
  static const std::string sql = kSelectPipeline + " WHERE queue_arn = $1";
  return tx.query(sql, queue_arn).one(read_pipeline);
}

std::vector<Pipeline> list_pipelines(store::Tx& tx, const std::string& account, const std::string& region,
                                     const std::string& after, std::int64_t most) {
  static const std::string sql =
      kSelectPipeline + " WHERE account = $1 AND region = $2 AND name > $3 ORDER BY name LIMIT $4";
  return tx.query(sql, account, region, after, most).all(read_pipeline);
}

void insert_pipeline(store::Tx& tx, Pipeline& pipeline) {
  static const std::string sql =
      "INSERT INTO pipelines (account, region, name, version, spec, resources, bucket, queue_arn, failed_queue_arn, "
      "webhook_url, webhook_secret, max_receives, retention_days, paused, created_at) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) RETURNING number";
  pipeline.number =
      tx.query(sql, pipeline.account, pipeline.region, pipeline.name, pipeline.version, pipeline.spec_json,
               pipeline.resources_json, pipeline.bucket, pipeline.queue_arn, pipeline.failed_queue_arn,
               pipeline.webhook_url, pipeline.webhook_secret, pipeline.max_attempts, pipeline.retention_days,
               pipeline.paused, pipeline.created_at)
          .integer();
}

void update_pipeline(store::Tx& tx, Pipeline& pipeline) {
  static const char sql[] =
      "UPDATE pipelines SET version = version + 1, spec = $2, resources = $3, bucket = $4, queue_arn = $5, "
      "failed_queue_arn = $6, webhook_url = $7, webhook_secret = $8, max_receives = $9, retention_days = $10, "
      "paused = $11 WHERE number = $1";
  tx.exec(sql, pipeline.number, pipeline.spec_json, pipeline.resources_json, pipeline.bucket, pipeline.queue_arn,
          pipeline.failed_queue_arn, pipeline.webhook_url, pipeline.webhook_secret, pipeline.max_attempts,
          pipeline.retention_days, pipeline.paused);
  ++pipeline.version;
}

void delete_pipeline(store::Tx& tx, std::int64_t number) { tx.exec("DELETE FROM pipelines WHERE number = $1", number); }

}  // namespace services::pipelines
