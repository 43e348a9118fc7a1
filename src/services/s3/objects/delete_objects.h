// SPDX-License-Identifier: Apache-2.0
// DeleteObject and DeleteObjects.
#pragma once

#include "services/s3/object_operation.h"
#include "services/s3/shape.h"
#include "shapes/s3/object_delete.h"

namespace services::s3 {

shape::DeleteObjectOutput delete_object(Call& call, const shape::DeleteObjectRequest& request);
// In slices: a large request must not hold up the writes of others.
shape::DeleteObjectsOutput delete_objects(ObjectCall& call, const shape::DeleteObjectsRequest& request);

}  // namespace services::s3
