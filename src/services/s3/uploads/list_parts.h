// SPDX-License-Identifier: Apache-2.0
// ListParts.
#pragma once

#include "services/call.h"
#include "services/s3/shape.h"
#include "shapes/s3/upload_list.h"

namespace services::s3 {

shape::ListPartsOutput list_parts(Call& call, const shape::ListPartsRequest& request);

}  // namespace services::s3
