// SPDX-License-Identifier: Apache-2.0
// Operations on the locks of objects.
#pragma once

#include "services/call.h"
#include "services/s3/shape.h"
#include "shapes/s3/object_lock.h"

namespace services::s3 {

shape::GetObjectLegalHoldOutput get_object_legal_hold(Call& call, const shape::GetObjectLegalHoldRequest& request);
shape::PutObjectLegalHoldOutput put_object_legal_hold(Call& call, const shape::PutObjectLegalHoldRequest& request);
shape::GetObjectRetentionOutput get_object_retention(Call& call, const shape::GetObjectRetentionRequest& request);
shape::PutObjectRetentionOutput put_object_retention(Call& call, const shape::PutObjectRetentionRequest& request);

}  // namespace services::s3
