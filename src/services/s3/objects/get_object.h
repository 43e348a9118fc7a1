// SPDX-License-Identifier: Apache-2.0
// GetObject and HeadObject.
#pragma once

#include "services/s3/object_operation.h"
#include "services/s3/shape.h"
#include "shapes/s3/object.h"
#include "shapes/s3/object_head.h"

namespace services::s3 {

shape::GetObjectOutput get_object(ObjectCall& call, const shape::GetObjectRequest& request);
shape::HeadObjectOutput head_object(ObjectCall& call, const shape::HeadObjectRequest& request);

}  // namespace services::s3
