// SPDX-License-Identifier: Apache-2.0
// The life of a service's deployments: in progress, completed, failed, rolled back, gone. The service deployment, which
// records the change from revision to revision, follows.
#pragma once

#include "services/ecs/reconciliation/service_change.h"

namespace services::ecs {

// The service deployment is PENDING: from now on it is in progress. Alarms that are in ALARM already are not watched.
void begin_change(Call& call, ServiceRows& rows, const std::vector<std::string>& alarms);
// A client has requested that the service deployment be stopped or rolled back.
void stop_change(Call& call, ServiceRows& rows);
// The verdict on the PRIMARY deployment. `alarms` are those in ALARM.
void carry_out_verdict(Call& call, ServiceRows& rows, const scheduler::ServicePlan& plan,
                       const std::vector<std::string>& alarms);
// Deployments that are INACTIVE and have starts are ACTIVE again.
void revive(Call& call, ServiceRows& rows, const std::vector<scheduler::ServiceStart>& starts);
// ACTIVE deployments without tasks.
void retire(Call& call, ServiceRows& rows, const std::vector<std::int64_t>& deployments);

}  // namespace services::ecs
