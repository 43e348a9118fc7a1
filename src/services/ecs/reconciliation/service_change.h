// SPDX-License-Identifier: Apache-2.0
// What a look decided for one service.
#pragma once

#include <string>
#include <vector>

#include "scheduler/reconcile.h"
#include "services/ecs/reconciliation/service_events.h"
#include "services/ecs/reconciliation/service_queue.h"
#include "services/ecs/reconciliation/service_snapshot.h"

namespace services::ecs {

struct ServiceChange {
  ServiceQueue::Due due = {};
  std::string arn = {};  // of the service, for the log
  bool daemon = false;
  ServiceVersions versions = {};           // that it was decided for
  ServiceQueue::Outcome outcome = {};      // where nothing has to be written
  ServiceQueue::Announced announced = {};  // from then on

  bool drains = false;                   // the service is DRAINING
  bool begins = false;                   // its PENDING service deployment
  bool stop_requested = false;           // of its service deployment, by a client
  scheduler::ServicePlan plan = {};      // the starts that have room
  std::vector<std::string> alarms = {};  // that are in ALARM
  bool steady = false;                   // the service is in a steady state
  bool announces_steady = false;
  std::vector<Condition> conditions = {};                // to announce
  std::vector<shapes::ecs::ContainerImage> images = {};  // of the PRIMARY deployment, where more are resolved
  bool writes = false;
};

// In a transaction. A change of a service that is not what it was is left out, and the service stays due.
void apply_change(Call& call, const ServiceChange& change);

}  // namespace services::ecs
