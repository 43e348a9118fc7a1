// SPDX-License-Identifier: Apache-2.0
// PutObject.
#pragma once

#include "services/call.h"
#include "services/s3/shape.h"
#include "shapes/s3/object.h"

namespace services::s3 {

void before_put_object(Call& call, const shape::PutObjectRequest& request);
shape::PutObjectOutput put_object(Call& call, const shape::PutObjectRequest& request);

}  // namespace services::s3
