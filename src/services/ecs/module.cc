// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/module.h"

#include <iterator>

#include "services/ecs/capacity/capacity_index.h"
#include "services/ecs/capacity/capacity_loop.h"
#include "services/ecs/errors.h"
#include "services/ecs/gauges.h"
#include "services/ecs/machines/departure.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/machines/live_gpus.h"
#include "services/ecs/metrics/live_usage.h"
#include "services/ecs/metrics/measure.h"
#include "services/ecs/operations.h"
#include "services/ecs/reconciliation/service_loop.h"
#include "services/ecs/reconciliation/service_queue.h"
#include "services/ecs/tasks/live_pulls.h"
#include "services/ecs/tasks/sweep.h"
#include "shapes/ecs/errors.h"

namespace services::ecs {
namespace {

// Clusters, machines, task definitions and tasks are in src/state. Here is what only ECS reads.
constexpr char kAccountSettings[] = R"sql(
-- Values that were set. Other settings have their default.
CREATE TABLE ecs_account_settings (
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  principal TEXT NOT NULL,             -- an ARN
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (account, region, principal, name)
);
)sql";

constexpr char kCapacityProviders[] = R"sql(
CREATE TABLE ecs_capacity_providers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  name TEXT NOT NULL,
  group_name TEXT NOT NULL,            -- of Auto Scaling
  body TEXT NOT NULL,                  -- configuration, tags
  created_at INTEGER NOT NULL,
  inactive_at INTEGER,                 -- set where INACTIVE: still described, but its name is free
  UNIQUE (account, region, name)
);
CREATE INDEX ecs_capacity_providers_group ON ecs_capacity_providers (account, region, group_name);

-- The capacity providers of a cluster, with what was created in their groups.
CREATE TABLE ecs_cluster_providers (
  cluster INTEGER NOT NULL,
  provider TEXT NOT NULL,              -- a name
  position INTEGER NOT NULL,           -- in the cluster's list
  policy TEXT,                         -- of managed scaling: its name
  policy_id TEXT,                      -- the id of its attachment
  hook_id TEXT,                        -- of managed draining: the id of its attachment
  PRIMARY KEY (cluster, provider)
);
CREATE INDEX ecs_cluster_providers_provider ON ecs_cluster_providers (provider);

-- Instances that their group terminates once they are drained.
CREATE TABLE ecs_drains (
  instance TEXT NOT NULL PRIMARY KEY,  -- "i-0123456789abcdef0"
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  group_name TEXT NOT NULL,
  hook TEXT NOT NULL,
  token TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  extended_at INTEGER NOT NULL         -- when the last heartbeat was sent
);

-- Whether instances of providers with managed termination protection are protected, as ECS has set it.
CREATE TABLE ecs_protections (
  instance TEXT NOT NULL PRIMARY KEY,
  protected INTEGER NOT NULL
);
)sql";

// A task definition is 64 KiB at most, and may be written with generous white space.
constexpr std::size_t kBodyLimit = 1u << 20;

std::vector<Operation> all_operations() {
  using Rows = std::vector<Operation> (*)();
  constexpr Rows kNouns[] = {
      &cluster_operations,    &cluster_change_operations, &definition_operations, &definition_list_operations,
      &registration_operations, &instance_operations,     &attribute_operations,  &gpu_operations,        &cluster_list_operations,
      &launch_operations,     &task_operations,           &exec_operations,       &protection_operations, &agent_operations,
      &explain_operations,    &service_creation_operations, &service_update_operations,
      &service_deletion_operations, &service_operations,  &service_deployment_operations,
      &service_revision_operations, &tag_operations,      &account_setting_operations,
      &capacity_provider_operations,
  };
  std::vector<Operation> all;
  for (Rows rows : kNouns) std::ranges::move(rows(), std::back_inserter(all));
  return all;
}

void add_memory(Locals& locals) {
  locals.add<CapacityIndex>();
  locals.add<Fleets>();
  locals.add<LiveGpus>();
  locals.add<LivePulls>();
  locals.add<LiveUsage>();
  locals.add<ServiceQueue>();
}

// No agent has a session yet.
void recover(Call& call) {
  disconnect_all(call.tx, call.now);
  call.local<Fleets>().load(call.tx);
  recover_services(call);
  load_capacity(call);
}

Service service() {
  Service ecs;
  ecs.wire = {.name = "ecs",
              .target_prefix = "AmazonEC2ContainerServiceV20141113",
              .api_version = "2014-11-13",
              .errors = shapes::ecs::kErrors};
  ecs.signing_name = "ecs";
  ecs.protocols = {wire::Protocol::Json11};
  ecs.body_limit = kBodyLimit;
  ecs.operations = all_operations();
  ecs.violation_error = &violation_error;
  return ecs;
}

}  // namespace

Module module(const Options& options) {
  Module ecs;
  ecs.service = service();
  ecs.migrations = {"ecs", {kAccountSettings, kCapacityProviders}};
  ecs.add_memory = &add_memory;
  ecs.recover = &recover;
  ecs.internal_operations = machine_life_operations();
  ecs.loops = {sweep_loop(options.lost_after), service_loop(), capacity_loop()};
  ecs.gauges = &gauges;
  ecs.measure = &measure;
  return ecs;
}

}  // namespace services::ecs
