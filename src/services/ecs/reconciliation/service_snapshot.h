// SPDX-License-Identifier: Apache-2.0
// A service as the reconciler sees it: read from the database and from the fleet at one moment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/reconcile.h"
#include "services/call.h"
#include "services/ecs/definitions/definition.h"
#include "services/ecs/services/stored_service.h"
#include "state/cluster.h"
#include "state/service.h"

namespace services::ecs {

// Whether rows have changed since they were read. A plan for other versions is stale.
struct ServiceVersions {
  std::int64_t service = 0;
  std::vector<std::int64_t> tasks = {};       // number, version and protection of each
  std::vector<std::string> deployments = {};  // all of their columns that may change
  std::optional<std::string> change_status = {};
  bool operator==(const ServiceVersions&) const = default;
};

struct ServiceRows {
  state::Cluster cluster;
  state::Service service;
  ServiceBody body = {};
  std::vector<state::Deployment> deployments = {};  // the PRIMARY one first; none for an INACTIVE service
  std::vector<state::ServiceTask> tasks = {};       // that have not stopped
  // The latest change from revision to revision.
  std::optional<StoredServiceDeployment> change = {};

  const state::Deployment& primary() const { return deployments.front(); }
  const state::Deployment* find(state::DeploymentNumber number) const;
  ServiceVersions versions() const;
  // "arn:aws:ecs:us-east-1:111111111111:service/web/api"
  std::string arn() const;
};

// nullopt: it does not exist, or is INACTIVE.
std::optional<ServiceRows> read_service(store::Tx& tx, state::ServiceNumber number);

// Statuses of a change, in Amazon's words.
inline constexpr std::string_view kPending = "PENDING", kInProgress = "IN_PROGRESS", kSuccessful = "SUCCESSFUL",
                                  kStopRequested = "STOP_REQUESTED", kStopped = "STOPPED",
                                  kRollbackRequested = "ROLLBACK_REQUESTED",
                                  kRollbackInProgress = "ROLLBACK_IN_PROGRESS",
                                  kRollbackSuccessful = "ROLLBACK_SUCCESSFUL", kRollbackFailed = "ROLLBACK_FAILED";

// Its deployments have the last COMPLETED one at their end, even if that is INACTIVE.
struct ServiceSnapshot : ServiceRows {
  std::vector<StoredTaskDefinition> definitions = {};  // of the deployments, in their order
  scheduler::ServiceView view = {};
  std::vector<std::string> alarms = {};  // that are in ALARM
  bool watches_alarms = false;

  const StoredTaskDefinition* definition_of(std::int64_t deployment) const;
};

ServiceSnapshot take_snapshot(Call& call, ServiceRows rows);

}  // namespace services::ecs
