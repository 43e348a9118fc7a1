// SPDX-License-Identifier: Apache-2.0
// The module's service, for callers that do not take modules yet.
#pragma once

#include "services/s3/module.h"

namespace services::s3 {

inline Service service() { return module({}).service; }

}  // namespace services::s3
