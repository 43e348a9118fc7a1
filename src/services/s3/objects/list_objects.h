// SPDX-License-Identifier: Apache-2.0
// ListObjects and ListObjectsV2.
#pragma once

#include "services/call.h"
#include "services/s3/shape.h"
#include "shapes/s3/object_list.h"

namespace services::s3 {

shape::ListObjectsOutput list_objects(Call& call, const shape::ListObjectsRequest& request);
shape::ListObjectsV2Output list_objects_v2(Call& call, const shape::ListObjectsV2Request& request);

}  // namespace services::s3
