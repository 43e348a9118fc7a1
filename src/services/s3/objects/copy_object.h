// SPDX-License-Identifier: Apache-2.0
// CopyObject.
#pragma once

#include "services/s3/object_operation.h"
#include "services/s3/shape.h"
#include "shapes/s3/object_copy.h"

namespace services::s3 {

void prepare_copy_object(ObjectCall& call, const shape::CopyObjectRequest& request);
shape::CopyObjectOutput copy_object(ObjectCall& call, const shape::CopyObjectRequest& request);

}  // namespace services::s3
