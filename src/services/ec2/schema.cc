// SPDX-License-Identifier: Apache-2.0
#include "services/ec2/schema.h"

namespace services::ec2 {
namespace {

constexpr char kTables[] = R"sql(
CREATE TABLE ec2_templates (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  name TEXT NOT NULL,
  default_version INTEGER NOT NULL,
  latest_version INTEGER NOT NULL,     -- the highest number that was ever used
  token TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (account, region, name)
);
CREATE TABLE ec2_template_versions (
  template TEXT NOT NULL,
  version INTEGER NOT NULL,
  description TEXT NOT NULL,
  data TEXT NOT NULL,
  token TEXT NOT NULL,                 -- of the client's request; '': none
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (template, version)
);
CREATE TABLE ec2_tags (
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  resource TEXT NOT NULL,
  type TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (account, region, resource, key)
);
CREATE INDEX ec2_tags_type ON ec2_tags (account, region, type, resource);
-- Resources that are only stored and shown: networks, key pairs.
CREATE TABLE ec2_records (
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (account, region, kind, id)
);
CREATE TABLE ec2_launch_tokens (
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  token TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  reservation TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account, region, token)
);
CREATE INDEX ec2_launch_tokens_age ON ec2_launch_tokens (created_at);
)sql";

}  // namespace

store::Migrations migrations() { return {"ec2", {kTables}}; }

}  // namespace services::ec2
