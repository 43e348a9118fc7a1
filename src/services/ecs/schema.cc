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

// What a task's placement and its end write is small, and near to what others write: a live task is a
// short row, found by its number; what it holds is written once; a stopped one moves to the end of
// another table.
constexpr char kVersion4[] = R"sql(
ALTER TABLE ecs_instances RENAME TO ecs_instances_3;
CREATE TABLE ecs_instances (
  number INTEGER PRIMARY KEY AUTOINCREMENT,  -- what tasks know it by
  id TEXT NOT NULL UNIQUE,             -- the last part of the ARN
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
INSERT INTO ecs_instances (id, cluster, machine, status, connected, connected_at, version, client_token, body, gpus,
                           registered_at, inactive_at)
  SELECT id, cluster, machine, status, connected, connected_at, version, client_token, body, gpus, registered_at,
         inactive_at
  FROM ecs_instances_3 ORDER BY registered_at, id;
DROP TABLE ecs_instances_3;
CREATE INDEX ecs_instances_cluster ON ecs_instances (cluster, id);
CREATE INDEX ecs_instances_machine ON ecs_instances (cluster, machine);
CREATE INDEX ecs_instances_inactive ON ecs_instances (inactive_at) WHERE inactive_at IS NOT NULL;
CREATE INDEX ecs_instances_gone ON ecs_instances (connected_at) WHERE connected = 0;
CREATE INDEX ecs_instances_token ON ecs_instances (cluster, client_token) WHERE client_token IS NOT NULL;

ALTER TABLE ecs_tasks RENAME TO ecs_tasks_3;
-- Those that have not STOPPED. desiredStatus is STOPPED where stopping_at is there.
CREATE TABLE ecs_tasks (
  id INTEGER PRIMARY KEY,              -- 16 x its launch, + its place in that: half of its name
  secret INTEGER NOT NULL,             -- the other half
  name TEXT,                           -- of one that was made before names were made of numbers
  cluster INTEGER NOT NULL,
  instance INTEGER NOT NULL,           -- a number of ecs_instances
  known INTEGER NOT NULL,              -- lastStatus: 1 PENDING, 3 RUNNING; all by their place in model::TaskStatus
  version INTEGER NOT NULL,
  delivered INTEGER NOT NULL,          -- its agent said that it has it
  report TEXT,                         -- a Report in JSON: what its agent said last
  tags TEXT,                           -- where they are not those of its launch any more
  credentials TEXT,                    -- the access key that it was given
  credentials_id TEXT,                 -- the same for each key that it is given
  credentials_until INTEGER,
  started_at INTEGER,
  stopping_at INTEGER,
  stop_code TEXT,
  stopped_reason TEXT
);
-- In their order of appearance: an end is written behind the one before it.
CREATE TABLE ecs_stopped_tasks (
  id INTEGER PRIMARY KEY,
  task INTEGER NOT NULL,               -- what it was in ecs_tasks
  secret INTEGER NOT NULL,
  name TEXT,
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
-- What the tasks of a launch take of their machines, or took.
CREATE TABLE ecs_holds (
  launch INTEGER PRIMARY KEY,
  holds TEXT NOT NULL                  -- a HoldsOfLaunch in JSON
);
CREATE TABLE ecs_numbers_4 (id INTEGER PRIMARY KEY, old INTEGER NOT NULL UNIQUE, holds TEXT NOT NULL);
INSERT INTO ecs_numbers_4 (id, old, holds)
  SELECT 16 * launch + row_number() OVER (PARTITION BY launch ORDER BY id) - 1, id, holds FROM ecs_tasks_3;
INSERT INTO ecs_tasks (id, secret, name, cluster, instance, known, version, delivered, report, tags, credentials,
                       credentials_id, credentials_until, started_at, stopping_at, stop_code, stopped_reason)
  SELECT n.id, 0, t.task, t.cluster, i.number,
         CASE t.known WHEN 'PROVISIONING' THEN 0 WHEN 'PENDING' THEN 1 WHEN 'ACTIVATING' THEN 2 WHEN 'RUNNING' THEN 3
                      WHEN 'DEACTIVATING' THEN 4 WHEN 'STOPPING' THEN 5 ELSE 6 END, t.version, t.delivered, t.report, t.tags, t.credentials,
         t.credentials_id, t.credentials_until, t.started_at,
         CASE WHEN t.desired = 'STOPPED' THEN COALESCE(t.stopping_at, t.created_at) END, t.stop_code, t.stopped_reason
  FROM ecs_tasks_3 t JOIN ecs_numbers_4 n ON n.old = t.id JOIN ecs_instances i ON i.id = t.instance
  WHERE t.stopped_at IS NULL;
INSERT INTO ecs_stopped_tasks (task, secret, name, cluster, instance, version, delivered, report, tags, started_at,
                               stopping_at, stopped_at, stop_code, stopped_reason)
  SELECT n.id, 0, t.task, t.cluster, i.number, t.version, t.delivered, t.report, t.tags, t.started_at,
         COALESCE(t.stopping_at, t.stopped_at), t.stopped_at, t.stop_code, t.stopped_reason
  FROM ecs_tasks_3 t JOIN ecs_numbers_4 n ON n.old = t.id JOIN ecs_instances i ON i.id = t.instance
  WHERE t.stopped_at IS NOT NULL ORDER BY t.stopped_at, t.id;
INSERT INTO ecs_holds (launch, holds)
  SELECT n.id / 16, '{"tasks":[' || n.holds
      || COALESCE((SELECT ',' || m.holds FROM ecs_numbers_4 m WHERE m.id = n.id + 1), '')
      || COALESCE((SELECT ',' || m.holds FROM ecs_numbers_4 m WHERE m.id = n.id + 2), '')
      || COALESCE((SELECT ',' || m.holds FROM ecs_numbers_4 m WHERE m.id = n.id + 3), '')
      || COALESCE((SELECT ',' || m.holds FROM ecs_numbers_4 m WHERE m.id = n.id + 4), '')
      || COALESCE((SELECT ',' || m.holds FROM ecs_numbers_4 m WHERE m.id = n.id + 5), '')
      || COALESCE((SELECT ',' || m.holds FROM ecs_numbers_4 m WHERE m.id = n.id + 6), '')
      || COALESCE((SELECT ',' || m.holds FROM ecs_numbers_4 m WHERE m.id = n.id + 7), '')
      || COALESCE((SELECT ',' || m.holds FROM ecs_numbers_4 m WHERE m.id = n.id + 8), '')
      || COALESCE((SELECT ',' || m.holds FROM ecs_numbers_4 m WHERE m.id = n.id + 9), '') || ']}'
  FROM ecs_numbers_4 n WHERE n.id % 16 = 0;
DROP TABLE ecs_numbers_4;
DROP TABLE ecs_tasks_3;
CREATE INDEX ecs_tasks_instance ON ecs_tasks (instance);
CREATE INDEX ecs_tasks_stopping ON ecs_tasks (id) WHERE stopping_at IS NOT NULL;
CREATE UNIQUE INDEX ecs_tasks_name ON ecs_tasks (name) WHERE name IS NOT NULL;
CREATE UNIQUE INDEX ecs_stopped_tasks_task ON ecs_stopped_tasks (task);
CREATE UNIQUE INDEX ecs_stopped_tasks_name ON ecs_stopped_tasks (name) WHERE name IS NOT NULL;
)sql";

}  // namespace

store::Migrations migrations() { return {"ecs", {kVersion1, kVersion2, kVersion3, kVersion4}}; }

}  // namespace services::ecs
