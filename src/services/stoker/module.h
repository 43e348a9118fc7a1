// SPDX-License-Identifier: Apache-2.0
// Stoker's own service: access keys, for the root key alone; join tokens, keys of machines and webhooks, for each
// account.
#pragma once

#include "services/module.h"
#include "services/options.h"

namespace services::stoker {

Module module(const Options& options);

}  // namespace services::stoker
