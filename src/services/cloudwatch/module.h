// SPDX-License-Identifier: Apache-2.0
// Amazon CloudWatch: metrics.
#pragma once

#include "services/module.h"
#include "services/options.h"

namespace services::cloudwatch {

Module module(const Options& options);

}  // namespace services::cloudwatch
