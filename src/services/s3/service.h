// SPDX-License-Identifier: Apache-2.0
// S3 as a table.
#pragma once

#include "services/operation.h"

namespace services::s3 {

Service service();

}  // namespace services::s3
