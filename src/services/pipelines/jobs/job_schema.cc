// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/jobs/job_schema.h"

namespace services::pipelines {

const char kJobTables[] = R"sql(
-- The jobs of one pipeline, and how many of them have each status: maintained with each change, because counting a
-- million rows takes too long. The lot of a deleted pipeline is dead at once; a loop deletes its jobs in slices.
CREATE TABLE pipeline_job_lots (
  lot INTEGER PRIMARY KEY,
  pipeline INTEGER UNIQUE,             -- NULL: dead
  changes INTEGER NOT NULL,            -- the number of the last change of a job
  queued INTEGER NOT NULL,
  running INTEGER NOT NULL,
  succeeded INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  cancelled INTEGER NOT NULL
);

CREATE TABLE pipeline_jobs (
  number INTEGER PRIMARY KEY,
  lot INTEGER NOT NULL,
  id TEXT NOT NULL,
  status INTEGER NOT NULL,             -- JobStatus
  change INTEGER NOT NULL,             -- the lot's number of its last change
  created_at INTEGER NOT NULL,
  started_at INTEGER,                  -- of the last attempt
  finished_at INTEGER,
  attempts INTEGER NOT NULL,
  attempts_before INTEGER NOT NULL,    -- those before the last retry
  endings INTEGER NOT NULL,            -- how often it succeeded or failed
  priority INTEGER NOT NULL,
  metadata TEXT NOT NULL,              -- a JSON object
  input_key TEXT NOT NULL,
  sequencer TEXT NOT NULL,             -- of the input's event; '': the input is about to be written
  size INTEGER NOT NULL,
  content_type TEXT NOT NULL,
  content_hash TEXT NOT NULL,          -- SHA-256; '': unknown
  message_id TEXT NOT NULL,
  queued_at INTEGER NOT NULL,          -- when its message was sent
  result_key TEXT NOT NULL,            -- '': none
  error_type TEXT NOT NULL,
  error_message TEXT NOT NULL,
  task_arn TEXT NOT NULL,
  machine TEXT NOT NULL,
  gpu_ids TEXT NOT NULL,               -- separated by spaces
  webhook_url TEXT NOT NULL,           -- '': the pipeline's
  UNIQUE (lot, id)
);
CREATE INDEX pipeline_jobs_key ON pipeline_jobs (lot, input_key, number);
CREATE INDEX pipeline_jobs_status ON pipeline_jobs (lot, status, created_at, number);
CREATE INDEX pipeline_jobs_change ON pipeline_jobs (lot, change);
CREATE INDEX pipeline_jobs_message ON pipeline_jobs (message_id);

-- A record of each webhook delivery. What is to be sent is in the outbox of webhooks as well.
CREATE TABLE pipeline_deliveries (
  number INTEGER PRIMARY KEY,
  job INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  event TEXT NOT NULL,
  url TEXT NOT NULL,
  body TEXT NOT NULL,
  status TEXT NOT NULL,                -- PENDING, DELIVERED, FAILED
  attempts INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_attempt_at INTEGER,
  next_attempt_at INTEGER,
  finished_at INTEGER,
  response_status INTEGER,
  error TEXT NOT NULL,
  outbox INTEGER                       -- its row there, while it is pending
);
CREATE INDEX pipeline_deliveries_job ON pipeline_deliveries (job, number);

CREATE TABLE pipeline_keys (
  id TEXT PRIMARY KEY,
  pipeline INTEGER NOT NULL,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,                  -- SHA-256 of the whole key
  created_at INTEGER NOT NULL
);
CREATE INDEX pipeline_keys_pipeline ON pipeline_keys (pipeline);
)sql";

const char kJobReceives[] = R"sql(
-- The receive count of its message in the last attempt. A message that was received and released before anyone worked
-- on it does not count as an attempt.
ALTER TABLE pipeline_jobs ADD COLUMN receives INTEGER NOT NULL DEFAULT 0;
)sql";

}  // namespace services::pipelines
