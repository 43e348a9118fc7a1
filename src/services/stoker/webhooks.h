// SPDX-License-Identifier: Apache-2.0
// Webhooks of an account: names for URLs and secrets, so that an ARN can stand for them, as in the actions of alarms.
#pragma once

#include <vector>

#include "services/module.h"

namespace services::stoker {

std::vector<Operation> webhook_operations();
// SendWebhook: for other services.
std::vector<Operation> internal_webhook_operations();
store::Migrations webhook_migrations();

}  // namespace services::stoker
