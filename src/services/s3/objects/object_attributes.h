// SPDX-License-Identifier: Apache-2.0
// GetObjectAttributes.
#pragma once

#include "services/call.h"
#include "services/s3/shape.h"
#include "shapes/s3/object_attributes.h"

namespace services::s3 {

shape::GetObjectAttributesOutput get_object_attributes(Call& call, const shape::GetObjectAttributesRequest& request);

}  // namespace services::s3
