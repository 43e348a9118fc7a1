// SPDX-License-Identifier: Apache-2.0
// Amazon CloudWatch Logs: groups, streams and events.
#pragma once

#include "services/module.h"
#include "services/options.h"

namespace services::logs {

Module module(const Options& options);

}  // namespace services::logs
