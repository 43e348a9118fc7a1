// SPDX-License-Identifier: Apache-2.0
// Executes the actions of alarms. A state change writes its actions in its own transaction; this loop deletes each in
// the transaction of its effect, so that after a crash none is lost and none runs twice.
#pragma once

#include "services/module.h"

namespace services::cloudwatch {

inline constexpr char kAlarmActionsTopic[] = "cloudwatch/alarm-actions";

Loop action_loop();
// WebhookFinished: writes the history of an action whose target is a webhook.
std::vector<Operation> webhook_result_operations();

}  // namespace services::cloudwatch
