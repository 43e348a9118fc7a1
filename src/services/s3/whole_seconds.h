// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/time.h"

namespace services::s3 {

// S3 shows and compares times without fractions of a second.
inline base::Time whole_seconds(base::Time time) { return base::from_seconds(base::to_seconds(time)); }

}  // namespace services::s3
