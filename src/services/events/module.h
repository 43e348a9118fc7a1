// SPDX-License-Identifier: Apache-2.0
// EventBridge: rules, targets and events.
#pragma once

#include "services/module.h"
#include "services/options.h"

namespace services::events {

Module module(const Options& options);

}  // namespace services::events
