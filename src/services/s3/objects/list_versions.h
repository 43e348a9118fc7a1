// SPDX-License-Identifier: Apache-2.0
// ListObjectVersions.
#pragma once

#include "services/call.h"
#include "services/s3/shape.h"
#include "shapes/s3/object_list.h"

namespace services::s3 {

shape::ListObjectVersionsOutput list_object_versions(Call& call, const shape::ListObjectVersionsRequest& request);

}  // namespace services::s3
