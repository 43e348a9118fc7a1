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

}  // namespace

store::Migrations migrations() { return {"ecs", {kVersion1}}; }

}  // namespace services::ecs
