// SPDX-License-Identifier: Apache-2.0
// DeleteObject and DeleteObjects.
#pragma once

#include "services/call.h"
#include "services/s3/shape.h"
#include "shapes/s3/object_delete.h"

namespace services::s3 {

shape::DeleteObjectOutput delete_object(Call& call, const shape::DeleteObjectRequest& request);
shape::DeleteObjectsOutput delete_objects(Call& call, const shape::DeleteObjectsRequest& request);

}  // namespace services::s3
