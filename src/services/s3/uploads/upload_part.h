// SPDX-License-Identifier: Apache-2.0
// UploadPart.
#pragma once

#include "services/call.h"
#include "services/s3/shape.h"
#include "shapes/s3/upload_part.h"

namespace services::s3 {

void before_upload_part(Call& call, const shape::UploadPartRequest& request);
shape::UploadPartOutput upload_part(Call& call, const shape::UploadPartRequest& request);

}  // namespace services::s3
