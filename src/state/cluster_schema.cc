// SPDX-License-Identifier: Apache-2.0
#include "state/cluster.h"

namespace state {
namespace {

constexpr char kClusterTables[] = R"sql(
CREATE TABLE ecs_clusters (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL,                -- ACTIVE, or INACTIVE: deleted, and still described
  body TEXT NOT NULL,                  -- configuration, settings, tags
  created_at INTEGER NOT NULL,
  UNIQUE (account, region, name)
);

-- The last revision that a family ever had. No number is used twice, not even after all
-- revisions of a family were deleted.
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
  body TEXT NOT NULL,
  tags TEXT NOT NULL,
  registered_at INTEGER NOT NULL,
  deregistered_at INTEGER,
  delete_requested_at INTEGER,
  UNIQUE (account, region, family, revision)
);
CREATE INDEX ecs_task_definitions_deleted ON ecs_task_definitions (delete_requested_at)
  WHERE delete_requested_at IS NOT NULL;

CREATE TABLE ecs_instances (
  number INTEGER PRIMARY KEY AUTOINCREMENT,  -- how tasks refer to it
  id TEXT NOT NULL UNIQUE,             -- the last part of the ARN
  cluster INTEGER NOT NULL,
  machine TEXT NOT NULL,               -- its name to people: ec2InstanceId
  status TEXT NOT NULL,                -- ACTIVE, DRAINING, INACTIVE
  connected INTEGER NOT NULL,          -- its agent has a session, and agrees on its tasks
  connected_at INTEGER NOT NULL,       -- when that last changed
  version INTEGER NOT NULL,
  client_token TEXT,
  body TEXT NOT NULL,                  -- resources, attributes, tags
  gpus TEXT NOT NULL,                  -- memory, model and health, as the agent reports them
  registered_at INTEGER NOT NULL,
  inactive_at INTEGER
);
CREATE INDEX ecs_instances_cluster ON ecs_instances (cluster, id);
CREATE INDEX ecs_instances_machine ON ecs_instances (cluster, machine);
CREATE INDEX ecs_instances_inactive ON ecs_instances (inactive_at) WHERE inactive_at IS NOT NULL;
CREATE INDEX ecs_instances_gone ON ecs_instances (connected_at) WHERE connected = 0;
CREATE INDEX ecs_instances_token ON ecs_instances (cluster, client_token) WHERE client_token IS NOT NULL;

-- A GPU is registered by one instance at a time.
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
  request_hash TEXT NOT NULL,          -- distinguishes another request with the same token
  body TEXT NOT NULL,                  -- overrides, tags, and failures
  created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX ecs_launches_token ON ecs_launches (cluster, client_token) WHERE client_token IS NOT NULL;
CREATE INDEX ecs_launches_definition ON ecs_launches (definition);
CREATE INDEX ecs_launches_since ON ecs_launches (created_at) WHERE client_token IS NOT NULL;

-- What a task's placement and its end write is small, and near to what others write: a live task is a
-- short row that is found by its number, what it holds is written once, and a stopped task moves to the
-- end of another table.

-- Tasks that have not stopped. desiredStatus is STOPPED where stopping_at is set.
CREATE TABLE ecs_tasks (
  id INTEGER PRIMARY KEY,              -- 16 x its launch + its place in that: one half of its id
  secret INTEGER NOT NULL,             -- the other half
  cluster INTEGER NOT NULL,
  instance INTEGER NOT NULL,           -- a number of ecs_instances
  known INTEGER NOT NULL,              -- lastStatus: 1 PENDING, 3 RUNNING, the position in model::TaskStatus
  version INTEGER NOT NULL,
  delivered INTEGER NOT NULL,          -- its agent acknowledged it
  report TEXT,                         -- what its agent reported last
  tags TEXT,                           -- where they differ from those of its launch
  credentials TEXT,                    -- its current access key
  credentials_id TEXT,                 -- the same for all of its keys
  credentials_until INTEGER,
  started_at INTEGER,
  stopping_at INTEGER,
  stop_code TEXT,
  stopped_reason TEXT
);
CREATE INDEX ecs_tasks_instance ON ecs_tasks (instance);
CREATE INDEX ecs_tasks_stopping ON ecs_tasks (id) WHERE stopping_at IS NOT NULL;

-- In the order in which they stopped: each is written behind the one before it.
CREATE TABLE ecs_stopped_tasks (
  id INTEGER PRIMARY KEY,
  task INTEGER NOT NULL,               -- its id in ecs_tasks
  secret INTEGER NOT NULL,
  cluster INTEGER NOT NULL,
  instance INTEGER NOT NULL,
  version INTEGER NOT NULL,
  delivered INTEGER NOT NULL,
  report TEXT,
  tags TEXT,
  started_at INTEGER,
  stopping_at INTEGER NOT NULL,
  stopped_at INTEGER NOT NULL,
  stop_code TEXT,
  stopped_reason TEXT
);
CREATE UNIQUE INDEX ecs_stopped_tasks_task ON ecs_stopped_tasks (task);

-- What the tasks of a launch hold on their machines, or held: a line each, see hold_text.h.
CREATE TABLE ecs_holds (
  launch INTEGER PRIMARY KEY,
  holds TEXT NOT NULL
);
)sql";

constexpr char kMachineTroubles[] = R"sql(
ALTER TABLE ecs_instances ADD COLUMN troubles TEXT;  -- why it accepts no tasks, as its agent reports
)sql";

constexpr char kServiceTables[] = R"sql(
CREATE TABLE ecs_services (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  cluster INTEGER NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL,                -- ACTIVE, DRAINING, INACTIVE
  daemon INTEGER NOT NULL,
  desired INTEGER NOT NULL,
  steady INTEGER NOT NULL,             -- its last pass found nothing to do
  steady_at INTEGER,                   -- when that was last announced
  version INTEGER NOT NULL,
  body TEXT NOT NULL,                  -- configuration, tags
  client_token TEXT,
  created_at INTEGER NOT NULL,
  inactive_at INTEGER                  -- set where INACTIVE: still described, but its name is free
);
CREATE UNIQUE INDEX ecs_services_name ON ecs_services (cluster, name) WHERE inactive_at IS NULL;
CREATE INDEX ecs_services_gone ON ecs_services (cluster, name, inactive_at) WHERE inactive_at IS NOT NULL;
CREATE INDEX ecs_services_inactive ON ecs_services (inactive_at) WHERE inactive_at IS NOT NULL;

-- Revisions of services, with what became of them.
CREATE TABLE ecs_deployments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  service INTEGER NOT NULL,            -- a row of ecs_services
  name TEXT NOT NULL,                  -- 19 digits: the id that clients see
  definition INTEGER NOT NULL,         -- a row of ecs_task_definitions
  role TEXT NOT NULL,                  -- PRIMARY, ACTIVE, INACTIVE
  rollout TEXT NOT NULL,               -- IN_PROGRESS, COMPLETED, FAILED
  rollout_reason TEXT NOT NULL,
  failed_tasks INTEGER NOT NULL,
  last_failure INTEGER,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  completed_at INTEGER
);
CREATE UNIQUE INDEX ecs_deployments_name ON ecs_deployments (service, name);
CREATE INDEX ecs_deployments_current ON ecs_deployments (service, id) WHERE role <> 'INACTIVE';
CREATE INDEX ecs_deployments_definition ON ecs_deployments (definition);

-- Changes from revision to revision.
CREATE TABLE ecs_service_deployments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  service INTEGER NOT NULL,
  name TEXT NOT NULL,                  -- 22 characters: the end of its ARN
  status TEXT NOT NULL,                -- Amazon's words
  target INTEGER NOT NULL,             -- a row of ecs_deployments
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER,
  stopped_at INTEGER
);
CREATE UNIQUE INDEX ecs_service_deployments_name ON ecs_service_deployments (service, name);
CREATE INDEX ecs_service_deployments_service ON ecs_service_deployments (service, id);
CREATE INDEX ecs_service_deployments_target ON ecs_service_deployments (target, id);

CREATE TABLE ecs_service_events (
  id INTEGER PRIMARY KEY,
  service INTEGER NOT NULL,
  name TEXT NOT NULL,                  -- a UUID
  message TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX ecs_service_events_service ON ecs_service_events (service, id);

ALTER TABLE ecs_launches ADD COLUMN service INTEGER;     -- a row of ecs_services; NULL: of RunTask or StartTask
ALTER TABLE ecs_launches ADD COLUMN deployment INTEGER;  -- a row of ecs_deployments
CREATE INDEX ecs_launches_service ON ecs_launches (service) WHERE service IS NOT NULL;
ALTER TABLE ecs_tasks ADD COLUMN protected_until INTEGER;
)sql";

constexpr char kCapacityTables[] = R"sql(
-- The capacity provider of a task that was started with a strategy. A task that waits for capacity has the status
-- PROVISIONING and the instance 0.
ALTER TABLE ecs_tasks ADD COLUMN provider TEXT;
ALTER TABLE ecs_stopped_tasks ADD COLUMN provider TEXT;
CREATE INDEX ecs_tasks_waiting ON ecs_tasks (cluster, id) WHERE known = 0;
CREATE INDEX ecs_tasks_provider ON ecs_tasks (cluster, provider) WHERE provider IS NOT NULL;
)sql";

constexpr char kManifestsAndGpus[] = R"sql(
-- The number of the last manifest. An agent discards one with a lower number than it has seen.
ALTER TABLE ecs_instances ADD COLUMN manifest INTEGER NOT NULL DEFAULT 0;

-- One account can't occupy the GPUs of another.
ALTER TABLE ecs_gpus RENAME TO ecs_gpus_of_all;
CREATE TABLE ecs_account_gpus (
  account TEXT NOT NULL,
  id TEXT NOT NULL,
  instance TEXT NOT NULL,
  PRIMARY KEY (account, id)
);
INSERT INTO ecs_account_gpus (account, id, instance)
  SELECT c.account, g.id, g.instance FROM ecs_gpus_of_all AS g
  JOIN ecs_instances AS i ON i.id = g.instance JOIN ecs_clusters AS c ON c.id = i.cluster;
DROP TABLE ecs_gpus_of_all;
CREATE INDEX ecs_account_gpus_instance ON ecs_account_gpus (instance);
)sql";

constexpr char kMachineKeysAndLaunchTypes[] = R"sql(
ALTER TABLE ecs_instances ADD COLUMN machine_key TEXT;  -- the key of a machine that registered it
CREATE INDEX ecs_instances_key ON ecs_instances (machine_key) WHERE machine_key IS NOT NULL;
ALTER TABLE ecs_launches ADD COLUMN external INTEGER NOT NULL DEFAULT 0;  -- of the launch type EXTERNAL
)sql";

}  // namespace

store::Migrations cluster_migrations() {
  return {"clusters", {kClusterTables, kMachineTroubles, kServiceTables, kCapacityTables, kManifestsAndGpus,
                       kMachineKeysAndLaunchTypes}};
}

}  // namespace state
