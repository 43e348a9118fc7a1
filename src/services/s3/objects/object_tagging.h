// SPDX-License-Identifier: Apache-2.0
// Operations on an object's tags.
#pragma once

#include "services/call.h"
#include "services/s3/shape.h"
#include "shapes/s3/object_tagging.h"

namespace services::s3 {

shape::GetObjectTaggingOutput get_object_tagging(Call& call, const shape::GetObjectTaggingRequest& request);
shape::PutObjectTaggingOutput put_object_tagging(Call& call, const shape::PutObjectTaggingRequest& request);
shape::DeleteObjectTaggingOutput delete_object_tagging(Call& call, const shape::DeleteObjectTaggingRequest& request);

}  // namespace services::s3
