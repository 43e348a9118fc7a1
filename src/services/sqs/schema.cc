// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/operations.h"

namespace services::sqs {
namespace {

constexpr char kVersion1[] = R"sql(
CREATE TABLE sqs_queues (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  name TEXT NOT NULL,
  lot INTEGER NOT NULL,                -- of its messages; a purged queue gets a new one
  next_sequence INTEGER NOT NULL,      -- FIFO: the next sequence number
  created_at INTEGER NOT NULL,
  modified_at INTEGER NOT NULL,
  fifo INTEGER NOT NULL,
  delay_s INTEGER NOT NULL,
  max_message_bytes INTEGER NOT NULL,
  retention_s INTEGER NOT NULL,
  receive_wait_s INTEGER NOT NULL,
  visibility_s INTEGER NOT NULL,
  content_deduplication INTEGER NOT NULL,
  dead_letter_arn TEXT,
  max_receives INTEGER,
  policy TEXT,
  attributes TEXT NOT NULL,            -- those with no column of their own, as a JSON object
  tags TEXT NOT NULL,                  -- a JSON object
  UNIQUE (account, region, name)
);
CREATE INDEX sqs_queues_dead_letter ON sqs_queues (dead_letter_arn);

-- A queue's messages belong to its lot. The lot of a purged or deleted queue is dead at once;
-- the sweep empties dead lots a slice at a time.
CREATE TABLE sqs_lots (
  id INTEGER PRIMARY KEY,
  dead INTEGER NOT NULL
);
CREATE INDEX sqs_lots_dead ON sqs_lots (dead);

CREATE TABLE sqs_messages (
  seq INTEGER PRIMARY KEY,
  lot INTEGER NOT NULL,
  visible_at INTEGER NOT NULL,         -- FIFO: kBlocked behind the head of its group
  receive_count INTEGER NOT NULL,
  sent_at INTEGER NOT NULL,
  receipt INTEGER NOT NULL,            -- of the last receive
  first_received_at INTEGER,
  message_id TEXT NOT NULL,
  sender TEXT NOT NULL,
  body TEXT,                           -- NULL: large, in sqs_large_bodies
  attributes BLOB,
  trace_header TEXT,
  group_id TEXT,
  deduplication_id TEXT,
  sequence INTEGER,                    -- FIFO only
  source_arn TEXT                      -- of the queue that it was moved from as a dead letter
);
-- Covers the counts: they read no row.
CREATE INDEX sqs_messages_ready ON sqs_messages (lot, visible_at, receive_count, sent_at, seq);
CREATE INDEX sqs_messages_group ON sqs_messages (lot, group_id, sequence) WHERE sequence IS NOT NULL;
-- These two find expired messages whose visible_at differs from sent_at: those behind the
-- head of a FIFO group, and received ones.
CREATE INDEX sqs_messages_fifo_age ON sqs_messages (lot, sent_at) WHERE sequence IS NOT NULL;
CREATE INDEX sqs_messages_received ON sqs_messages (lot, sent_at) WHERE receive_count > 0;

-- Apart, so that receiving a message does not rewrite its megabyte.
CREATE TABLE sqs_large_bodies (
  seq INTEGER PRIMARY KEY,
  body TEXT NOT NULL
);

-- By lot: a purge drops them too, and the sweep deletes them.
CREATE TABLE sqs_deduplication (
  lot INTEGER NOT NULL,
  scope TEXT NOT NULL,                 -- a group, or '' for the whole queue
  deduplication_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (lot, scope, deduplication_id)
) WITHOUT ROWID;
CREATE INDEX sqs_deduplication_at ON sqs_deduplication (at);

CREATE TABLE sqs_receive_attempts (
  lot INTEGER NOT NULL,
  attempt_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  receipts TEXT NOT NULL,              -- "seq:receipt," of each message
  PRIMARY KEY (lot, attempt_id)
) WITHOUT ROWID;
CREATE INDEX sqs_receive_attempts_at ON sqs_receive_attempts (at);

CREATE TABLE sqs_move_tasks (
  id TEXT PRIMARY KEY,
  queue INTEGER NOT NULL,              -- the source
  source_arn TEXT NOT NULL,
  destination_arn TEXT,                -- NULL: each message to the queue that it came from
  per_second INTEGER,                  -- NULL: unlimited
  status TEXT NOT NULL,
  moved INTEGER NOT NULL,
  to_move INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  failure TEXT
);
CREATE INDEX sqs_move_tasks_queue ON sqs_move_tasks (queue, started_at);
CREATE INDEX sqs_move_tasks_status ON sqs_move_tasks (status);
)sql";

// Receives in the queues that a dead letter was moved from. Its receive_count begins again, for the redrive policy of
// its new queue; clients are shown the sum.
constexpr char kVersion2[] = R"sql(
ALTER TABLE sqs_messages ADD COLUMN former_receives INTEGER NOT NULL DEFAULT 0;
)sql";

// What accounts use (services/usage.h). Of messages that were sent before, `size` has characters instead of bytes, and those
// of purged and deleted queues are not counted any more.
constexpr char kVersion3[] = R"sql(
ALTER TABLE sqs_messages ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
UPDATE sqs_messages SET size = coalesce(length(sqs_messages.body), (SELECT length(sqs_large_bodies.body)
  FROM sqs_large_bodies WHERE sqs_large_bodies.seq = sqs_messages.seq), 0) + coalesce(length(sqs_messages.attributes), 0);
ALTER TABLE sqs_lots ADD COLUMN account TEXT NOT NULL DEFAULT '';
UPDATE sqs_lots SET account = sqs_queues.account FROM sqs_queues WHERE sqs_queues.lot = sqs_lots.id;
)sql";
constexpr char kVersion4[] = R"sql(
INSERT INTO account_usage (account, bytes, queues, objects)
  SELECT counted.account, sum(counted.bytes), sum(counted.queues), 0 FROM (
    SELECT sqs_lots.account AS account, sqs_messages.size AS bytes, 0 AS queues
    FROM sqs_messages JOIN sqs_lots ON sqs_lots.id = sqs_messages.lot
    UNION ALL SELECT sqs_queues.account, 0, 1 FROM sqs_queues) AS counted
  WHERE counted.account <> '' GROUP BY counted.account
  ON CONFLICT (account) DO UPDATE SET bytes = account_usage.bytes + excluded.bytes,
  queues = account_usage.queues + excluded.queues;
)sql";

}  // namespace

store::Migrations migrations() { return {"sqs", {kVersion1, kVersion2, kVersion3, kVersion4}}; }

}  // namespace services::sqs
