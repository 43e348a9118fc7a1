// SPDX-License-Identifier: Apache-2.0
// The list of the services of this server.
#pragma once

#include <vector>

#include "services/module.h"
#include "services/options.h"

namespace control {

std::vector<services::Module> all_modules(const services::Options& options);

}  // namespace control
