// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/alarms/alarm_module.h"

namespace services::cloudwatch {
namespace {

constexpr char kAlarmTables[] = R"sql(
CREATE TABLE cloudwatch_alarms (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  name TEXT NOT NULL,
  composite INTEGER NOT NULL,
  version INTEGER NOT NULL,            -- grows with each change
  configuration TEXT NOT NULL,         -- the input of PutMetricAlarm or PutCompositeAlarm as JSON
  configured_at INTEGER NOT NULL,
  actions_enabled INTEGER NOT NULL,
  state TEXT NOT NULL,
  previous_state TEXT NOT NULL,
  state_reason TEXT NOT NULL,
  state_reason_data TEXT,
  state_updated_at INTEGER NOT NULL,
  state_transitioned_at INTEGER NOT NULL,
  repeat_at INTEGER,                   -- of its Auto Scaling actions
  suppressed_by TEXT NOT NULL,
  suppression_ends INTEGER,
  withheld INTEGER NOT NULL,           -- actions of the current state wait for the end of the suppression
  tags TEXT NOT NULL,                  -- a JSON object
  UNIQUE (account, region, name)
);

-- The metrics that an alarm reads.
CREATE TABLE cloudwatch_alarm_metrics (
  series BLOB NOT NULL,
  alarm INTEGER NOT NULL,
  PRIMARY KEY (series, alarm)
) WITHOUT ROWID;
CREATE INDEX cloudwatch_alarm_metrics_alarm ON cloudwatch_alarm_metrics (alarm);

-- The alarms that a composite alarm names, in its rule or as its suppressor.
CREATE TABLE cloudwatch_alarm_links (
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  child TEXT NOT NULL,
  parent INTEGER NOT NULL,
  suppressor INTEGER NOT NULL,
  PRIMARY KEY (account, region, child, parent, suppressor)
) WITHOUT ROWID;
CREATE INDEX cloudwatch_alarm_links_parent ON cloudwatch_alarm_links (parent, suppressor, child);

CREATE TABLE cloudwatch_alarm_history (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  name TEXT NOT NULL,
  composite INTEGER NOT NULL,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  summary TEXT NOT NULL,
  data TEXT NOT NULL
);
CREATE INDEX cloudwatch_alarm_history_alarm ON cloudwatch_alarm_history (account, region, name, at, id);
CREATE INDEX cloudwatch_alarm_history_account ON cloudwatch_alarm_history (account, region, at, id);
CREATE INDEX cloudwatch_alarm_history_at ON cloudwatch_alarm_history (at);

-- Actions of state changes that have not been executed. Written with the state, deleted with the effect.
CREATE TABLE cloudwatch_alarm_actions (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  name TEXT NOT NULL,
  composite INTEGER NOT NULL,
  action TEXT NOT NULL,                -- an ARN
  state_updated_at INTEGER NOT NULL,
  request TEXT NOT NULL                -- what the target gets, as JSON
);

CREATE TABLE cloudwatch_dashboards (
  account TEXT NOT NULL,
  name TEXT NOT NULL,
  body TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  modified_at INTEGER NOT NULL,
  tags TEXT NOT NULL,                  -- a JSON object
  PRIMARY KEY (account, name)
);
)sql";

}  // namespace

std::vector<std::string> alarm_steps() { return {kAlarmTables}; }

}  // namespace services::cloudwatch
