// SPDX-License-Identifier: Apache-2.0
// GetObject and HeadObject.
#pragma once

#include "services/call.h"
#include "services/s3/shape.h"
#include "shapes/s3/object.h"
#include "shapes/s3/object_head.h"

namespace services::s3 {

shape::GetObjectOutput get_object(Call& call, const shape::GetObjectRequest& request);
shape::HeadObjectOutput head_object(Call& call, const shape::HeadObjectRequest& request);

}  // namespace services::s3
