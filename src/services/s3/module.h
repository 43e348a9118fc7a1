// SPDX-License-Identifier: Apache-2.0
// S3: buckets, objects, and uploads in parts.
#pragma once

#include "services/module.h"
#include "services/options.h"
#include "services/s3/object_operation.h"

namespace services::s3 {

Module module(const Options& options);

// The same operations, as S3's door needs them.
ObjectTable object_table();

}  // namespace services::s3
