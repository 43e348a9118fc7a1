// SPDX-License-Identifier: Apache-2.0
#include "services/logs/filters/filter_rows.h"
#include "services/logs/operations.h"
#include "services/logs/queries/query_rows.h"
#include "services/logs/resource_policies.h"
#include "telemetry/logs/batch.h"

namespace services::logs {
namespace {

constexpr char kGroups[] = R"sql(
CREATE TABLE logs_groups (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  name TEXT NOT NULL,
  class TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  retention_days INTEGER,              -- NULL: for ever
  protected INTEGER NOT NULL,          -- from deletion
  deleted INTEGER NOT NULL,            -- its events are being deleted; the row goes last, so that its id is not reused
  streams INTEGER NOT NULL,            -- ever created: the number of the last one
  metric_filters INTEGER NOT NULL,     -- how many it has
  tags TEXT NOT NULL                   -- a JSON object
);
CREATE UNIQUE INDEX logs_groups_name ON logs_groups (account, region, name) WHERE deleted = 0;
CREATE INDEX logs_groups_deleted ON logs_groups (id) WHERE deleted = 1;
CREATE INDEX logs_groups_retention ON logs_groups (id) WHERE retention_days IS NOT NULL;

CREATE TABLE logs_streams (
  group_id INTEGER NOT NULL,
  number INTEGER NOT NULL,             -- never reused in its group: events of a deleted stream stay without one
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  first_event_at INTEGER,              -- NULL: no events
  last_event_at INTEGER,
  last_ingested_at INTEGER,
  last_batch INTEGER,
  order_at INTEGER NOT NULL,           -- last_event_at; created_at for a stream without events
  PRIMARY KEY (group_id, number)
) WITHOUT ROWID;
CREATE UNIQUE INDEX logs_streams_name ON logs_streams (group_id, name);
CREATE INDEX logs_streams_order ON logs_streams (group_id, order_at, name);
)sql";

// See writer_cursor.h.
constexpr char kWriterCursor[] = "ALTER TABLE logs_streams ADD COLUMN writer_cursor TEXT;";

// What accounts use (services/usage.h).
constexpr char kUsage[] = R"sql(
INSERT INTO account_usage (account, bytes, queues, objects)
  SELECT logs_groups.account, sum(log_heads.stored_bytes), 0, 0
  FROM log_heads JOIN logs_groups ON logs_groups.id = log_heads.group_id WHERE 1 = 1 GROUP BY logs_groups.account
  ON CONFLICT (account) DO UPDATE SET bytes = account_usage.bytes + excluded.bytes;
)sql";

}  // namespace

store::Migrations migrations() {
  return {"logs",
          {telemetry::log_tables(), kGroups, kWriterCursor, filter_tables(), query_tables(), kPolicyTables, kUsage}};
}

}  // namespace services::logs
