// SPDX-License-Identifier: Apache-2.0
// CompleteMultipartUpload.
#pragma once

#include "services/call.h"
#include "services/s3/shape.h"
#include "shapes/s3/upload.h"

namespace services::s3 {

shape::CompleteMultipartUploadOutput complete_multipart_upload(Call& call,
                                                               const shape::CompleteMultipartUploadRequest& request);

}  // namespace services::s3
