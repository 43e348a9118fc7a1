// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/time.h"

namespace services::s3 {

// As S3 shows times, and compares them with those of clients: without parts of a second.
inline base::Time whole_seconds(base::Time time) { return base::from_seconds(base::to_seconds(time)); }

}  // namespace services::s3
