// SPDX-License-Identifier: Apache-2.0
// UploadPartCopy.
#pragma once

#include "services/call.h"
#include "services/s3/shape.h"
#include "shapes/s3/upload_part.h"

namespace services::s3 {

void before_upload_part_copy(Call& call, const shape::UploadPartCopyRequest& request);
shape::UploadPartCopyOutput upload_part_copy(Call& call, const shape::UploadPartCopyRequest& request);

}  // namespace services::s3
