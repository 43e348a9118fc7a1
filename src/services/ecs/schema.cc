// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/schema.h"

namespace services::ecs {
namespace {

constexpr char kVersion1[] = R"sql(
CREATE TABLE ecs_clusters (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL,                -- ACTIVE, or INACTIVE: deleted, and still described
  body TEXT NOT NULL,                  -- a Cluster in JSON: configuration, settings, tags
  created_at INTEGER NOT NULL,
  UNIQUE (account, region, name)
);

-- The last revision that a family ever had: a number is never given twice, not even
-- after all of a family's revisions were deleted.
CREATE TABLE ecs_families (
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  family TEXT NOT NULL,
  last_revision INTEGER NOT NULL,
  PRIMARY KEY (account, region, family)
);

CREATE TABLE ecs_task_definitions (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  family TEXT NOT NULL,
  revision INTEGER NOT NULL,
  status TEXT NOT NULL,                -- ACTIVE, INACTIVE, DELETE_IN_PROGRESS
  body TEXT NOT NULL,                  -- a TaskDefinition in JSON, as it is shown
  tags TEXT NOT NULL,                  -- {"tags": [...]}
  registered_at INTEGER NOT NULL,
  deregistered_at INTEGER,
  delete_requested_at INTEGER,
  UNIQUE (account, region, family, revision)
);
CREATE INDEX ecs_task_definitions_deleted ON ecs_task_definitions (delete_requested_at)
  WHERE delete_requested_at IS NOT NULL;

-- Only what was put: the rest has its default.
CREATE TABLE ecs_account_settings (
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  principal TEXT NOT NULL,             -- an ARN
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (account, region, principal, name)
);
)sql";

constexpr char kVersion2[] = R"sql(
CREATE TABLE ecs_instances (
  id TEXT NOT NULL PRIMARY KEY,        -- the last part of the ARN
  cluster INTEGER NOT NULL,
  machine TEXT NOT NULL,               -- its name to people: ec2InstanceId
  status TEXT NOT NULL,                -- ACTIVE, DRAINING, INACTIVE
  connected INTEGER NOT NULL,          -- its agent holds a session, and agrees on its tasks
  connected_at INTEGER NOT NULL,       -- when that last changed
  version INTEGER NOT NULL,
  client_token TEXT,
  body TEXT NOT NULL,                  -- a ContainerInstance in JSON: resources, attributes, tags
  gpus TEXT NOT NULL,                  -- a StokerGpus in JSON: memory, model and health, as the agent says
  registered_at INTEGER NOT NULL,
  inactive_at INTEGER
);
CREATE INDEX ecs_instances_cluster ON ecs_instances (cluster, id);
CREATE INDEX ecs_instances_machine ON ecs_instances (cluster, machine);
CREATE INDEX ecs_instances_inactive ON ecs_instances (inactive_at) WHERE inactive_at IS NOT NULL;
CREATE INDEX ecs_instances_gone ON ecs_instances (connected_at) WHERE connected = 0;

-- Who registered a GPU: it is offered by one instance at a time.
CREATE TABLE ecs_gpus (
  id TEXT NOT NULL PRIMARY KEY,
  instance TEXT NOT NULL
);
CREATE INDEX ecs_gpus_instance ON ecs_gpus (instance);

-- What the tasks of one RunTask or StartTask have in common.
CREATE TABLE ecs_launches (
  id INTEGER PRIMARY KEY,
  cluster INTEGER NOT NULL,
  definition INTEGER NOT NULL,         -- a row of ecs_task_definitions
  task_group TEXT NOT NULL,
  started_by TEXT,
  client_token TEXT,
  asked TEXT NOT NULL,                 -- a hash of the request, to tell another with the same token
  body TEXT NOT NULL,                  -- a Launch in JSON: overrides, tags, and what failed
  created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX ecs_launches_token ON ecs_launches (cluster, client_token) WHERE client_token IS NOT NULL;
CREATE INDEX ecs_launches_definition ON ecs_launches (definition);

CREATE TABLE ecs_tasks (
  id INTEGER PRIMARY KEY,
  task TEXT NOT NULL UNIQUE,           -- the last part of the ARN
  cluster INTEGER NOT NULL,
  launch INTEGER NOT NULL,
  instance TEXT NOT NULL,
  known TEXT NOT NULL,                 -- lastStatus
  desired TEXT NOT NULL,
  version INTEGER NOT NULL,
  delivered INTEGER NOT NULL,          -- its agent said that it has it
  holds TEXT NOT NULL,                 -- a Holds in JSON: what it takes of its machine
  report TEXT,                         -- a Report in JSON: what its agent said last
  tags TEXT,                           -- where they are not those of its launch any more
  credentials TEXT,                    -- the access key that it was given
  credentials_until INTEGER,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  stopping_at INTEGER,
  stopped_at INTEGER,
  stop_code TEXT,
  stopped_reason TEXT
);
CREATE INDEX ecs_tasks_cluster ON ecs_tasks (cluster, id);
CREATE INDEX ecs_tasks_instance ON ecs_tasks (instance, id) WHERE stopped_at IS NULL;
CREATE INDEX ecs_tasks_launch ON ecs_tasks (launch);
CREATE INDEX ecs_tasks_stopped ON ecs_tasks (stopped_at) WHERE stopped_at IS NOT NULL;
)sql";

constexpr char kVersion3[] = R"sql(
ALTER TABLE ecs_tasks ADD COLUMN credentials_id TEXT;  -- the same for each key that it is given
CREATE INDEX ecs_tasks_desired ON ecs_tasks (cluster, desired, id);
CREATE INDEX ecs_tasks_known ON ecs_tasks (cluster, known) WHERE stopped_at IS NULL;
CREATE INDEX ecs_instances_token ON ecs_instances (cluster, client_token) WHERE client_token IS NOT NULL;
-- Those whose token has to be forgotten.
CREATE INDEX ecs_launches_since ON ecs_launches (created_at) WHERE client_token IS NOT NULL;
)sql";

}  // namespace

store::Migrations migrations() { return {"ecs", {kVersion1, kVersion2, kVersion3}}; }

}  // namespace services::ecs
