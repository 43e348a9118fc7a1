// SPDX-License-Identifier: Apache-2.0
// S3: buckets, objects, and uploads in parts.
#pragma once

#include "services/module.h"
#include "services/options.h"

namespace services::s3 {

Module module(const Options& options);

}  // namespace services::s3
