// SPDX-License-Identifier: Apache-2.0
#include "telemetry/metrics/schema.h"

namespace telemetry {
namespace {

constexpr char kMetricsVersion1[] = R"sql(
CREATE TABLE telemetry_series (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  space TEXT NOT NULL,                 -- the namespace
  name TEXT NOT NULL,
  metric_key BLOB NOT NULL,            -- all of the above and the dimensions: metric_key()
  key_hash INTEGER NOT NULL,           -- stable_hash() of it
  active_at INTEGER NOT NULL           -- when points last arrived, as of its last block
);
CREATE INDEX telemetry_series_hash ON telemetry_series (key_hash);
CREATE INDEX telemetry_series_name ON telemetry_series (account, region, space, name, id);
CREATE INDEX telemetry_series_active ON telemetry_series (active_at);

-- A stream is a series in one unit; its id is 32 * series + unit.
CREATE TABLE telemetry_streams (
  id INTEGER PRIMARY KEY,
  sealed_to INTEGER NOT NULL           -- the newest batch whose points are in blocks
);

-- One row for each batch of points, until all of them are in blocks. Ids are never used again.
CREATE TABLE telemetry_journal (
  id INTEGER PRIMARY KEY,
  arrived_at INTEGER NOT NULL,
  points BLOB NOT NULL                 -- encode_batch()
);

CREATE TABLE telemetry_blocks (
  id INTEGER PRIMARY KEY,
  stream INTEGER NOT NULL,
  tier INTEGER NOT NULL,               -- 0: seconds, 1: minutes, 2: five minutes, 3: hours
  first_at INTEGER NOT NULL,           -- seconds since 1970, of its first and its last point
  last_at INTEGER NOT NULL,
  points BLOB NOT NULL                 -- encode_block()
);
CREATE INDEX telemetry_blocks_stream ON telemetry_blocks (stream, last_at);
CREATE INDEX telemetry_blocks_age ON telemetry_blocks (tier, last_at)
)sql";

}  // namespace

std::vector<std::string> metric_steps() { return {kMetricsVersion1}; }

}  // namespace telemetry
