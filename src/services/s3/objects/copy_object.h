// SPDX-License-Identifier: Apache-2.0
// CopyObject.
#pragma once

#include "services/call.h"
#include "services/s3/shape.h"
#include "shapes/s3/object_copy.h"

namespace services::s3 {

void before_copy_object(Call& call, const shape::CopyObjectRequest& request);
shape::CopyObjectOutput copy_object(Call& call, const shape::CopyObjectRequest& request);

}  // namespace services::s3
