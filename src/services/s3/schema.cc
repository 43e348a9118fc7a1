// SPDX-License-Identifier: Apache-2.0
#include "services/s3/schema.h"

namespace services::s3 {

namespace {

constexpr char kTables[] = R"sql(
CREATE TABLE s3_buckets (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,           -- unique over all accounts, as at Amazon
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  versioning TEXT,                     -- 'Enabled', 'Suspended'; NULL: never set
  -- Settings, each the JSON of its shape; NULL: not set
  policy TEXT,                         -- as its owner wrote it
  access_block TEXT,
  ownership TEXT,
  encryption TEXT,
  notification TEXT,
  tagging TEXT,
  cors TEXT,
  lifecycle TEXT
);
CREATE INDEX s3_buckets_account ON s3_buckets (account, name);

-- Immutable bytes. Several objects and parts may share a blob.
CREATE TABLE s3_blobs (
  id INTEGER PRIMARY KEY,
  refs INTEGER NOT NULL,               -- 0: unused; the sweep deletes the file, then the row
  size INTEGER NOT NULL,
  file TEXT,                           -- NULL: in `bytes`
  bytes BLOB
);
CREATE UNIQUE INDEX s3_blobs_file ON s3_blobs (file) WHERE file IS NOT NULL;
CREATE INDEX s3_blobs_unused ON s3_blobs (id) WHERE refs = 0;

-- A row for each version. `id` grows with time, so that a key's newest version has the largest.
CREATE TABLE s3_objects (
  id INTEGER PRIMARY KEY,
  bucket INTEGER NOT NULL,
  key BLOB NOT NULL,
  tag INTEGER,                         -- random, part of the version's id; NULL: the version 'null'
  latest INTEGER NOT NULL,
  marker INTEGER NOT NULL,             -- a delete marker
  modified_at INTEGER NOT NULL,
  size INTEGER NOT NULL,
  etag TEXT NOT NULL,                  -- without quotes
  blob INTEGER,                        -- NULL: in s3_object_parts, or a delete marker
  parts INTEGER NOT NULL,              -- 0: uploaded in one piece
  upload INTEGER,                      -- the multipart upload that it was made of; NULL: uploaded in one piece
  checksum_kind TEXT,                  -- 'CRC32', ...
  checksum_type TEXT,                  -- 'FULL_OBJECT', 'COMPOSITE'
  checksum TEXT,                       -- as responses show it
  headers TEXT NOT NULL,               -- JSON: the headers that it was written with
  tags TEXT NOT NULL                   -- JSON; '' for none
);
-- `marker` before `key`: a listing of objects skips the markers of deleted keys.
CREATE UNIQUE INDEX s3_objects_latest ON s3_objects (bucket, marker, key) WHERE latest = 1;
-- Newest first, as versions are listed.
CREATE INDEX s3_objects_older ON s3_objects (bucket, key, id DESC) WHERE latest = 0;

-- The parts of an object that was uploaded in parts.
CREATE TABLE s3_object_parts (
  object INTEGER NOT NULL,
  number INTEGER NOT NULL,
  start INTEGER NOT NULL,              -- offset in the object
  size INTEGER NOT NULL,
  blob INTEGER NOT NULL,
  etag TEXT NOT NULL,
  checksum TEXT,
  PRIMARY KEY (object, number)
) WITHOUT ROWID;

CREATE TABLE s3_uploads (
  id INTEGER PRIMARY KEY,              -- grows with time
  bucket INTEGER NOT NULL,
  key BLOB NOT NULL,
  tag INTEGER NOT NULL,                -- random, part of the upload's id
  initiated_at INTEGER NOT NULL,
  account TEXT NOT NULL,               -- of the initiator; '' where it was anonymous
  checksum_kind TEXT,
  checksum_type TEXT,
  headers TEXT NOT NULL,
  tags TEXT NOT NULL
);
CREATE INDEX s3_uploads_key ON s3_uploads (bucket, key, id);

CREATE TABLE s3_parts (
  upload INTEGER NOT NULL,
  number INTEGER NOT NULL,
  modified_at INTEGER NOT NULL,
  size INTEGER NOT NULL,
  blob INTEGER NOT NULL,
  etag TEXT NOT NULL,
  checksum TEXT,
  PRIMARY KEY (upload, number)
) WITHOUT ROWID;
)sql";

constexpr char kObjectLock[] = R"sql(
ALTER TABLE s3_buckets ADD COLUMN object_lock TEXT;  -- JSON of ObjectLockConfiguration; NULL: no Object Lock
ALTER TABLE s3_objects ADD COLUMN object_lock TEXT;  -- JSON of VersionLock; NULL: none was ever set
ALTER TABLE s3_uploads ADD COLUMN object_lock TEXT;  -- of the object that it becomes
)sql";

// As PutBucketAccelerateConfiguration sets it: 'Enabled', 'Suspended'; NULL: never set.
constexpr char kAcceleration[] = "ALTER TABLE s3_buckets ADD COLUMN acceleration TEXT;";

// What accounts use (services/usage.h).
constexpr char kUsage[] = R"sql(
INSERT INTO account_usage (account, bytes, queues, objects)
  SELECT s3_buckets.account, sum(counted.bytes), 0, sum(counted.objects) FROM (
    SELECT s3_objects.bucket AS bucket, s3_objects.size AS bytes, 1 AS objects FROM s3_objects
    UNION ALL SELECT s3_uploads.bucket, 0, 1 FROM s3_uploads
    UNION ALL SELECT s3_uploads.bucket, s3_parts.size, 1
    FROM s3_parts JOIN s3_uploads ON s3_uploads.id = s3_parts.upload) AS counted
  JOIN s3_buckets ON s3_buckets.id = counted.bucket WHERE 1 = 1 GROUP BY s3_buckets.account
  ON CONFLICT (account) DO UPDATE SET bytes = account_usage.bytes + excluded.bytes,
  objects = account_usage.objects + excluded.objects;
)sql";

}  // namespace

store::Migrations migrations() { return {"s3", {kTables, kObjectLock, kAcceleration, kUsage}}; }

}  // namespace services::s3
