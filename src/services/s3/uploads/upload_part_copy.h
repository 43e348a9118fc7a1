// SPDX-License-Identifier: Apache-2.0
// UploadPartCopy.
#pragma once

#include "services/s3/object_operation.h"
#include "services/s3/shape.h"
#include "shapes/s3/upload_part.h"

namespace services::s3 {

void prepare_upload_part_copy(ObjectCall& call, const shape::UploadPartCopyRequest& request);
shape::UploadPartCopyOutput upload_part_copy(ObjectCall& call, const shape::UploadPartCopyRequest& request);

}  // namespace services::s3
