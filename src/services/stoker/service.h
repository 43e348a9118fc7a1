// SPDX-License-Identifier: Apache-2.0
// Stoker's own service: access keys, for the root key alone.
#pragma once

#include "services/operation.h"

namespace services::stoker {

Service service();

}  // namespace services::stoker
