// SPDX-License-Identifier: Apache-2.0
// CreateMultipartUpload and AbortMultipartUpload.
#pragma once

#include "services/call.h"
#include "services/s3/shape.h"
#include "shapes/s3/upload.h"

namespace services::s3 {

shape::CreateMultipartUploadOutput create_multipart_upload(Call& call,
                                                           const shape::CreateMultipartUploadRequest& request);
shape::AbortMultipartUploadOutput abort_multipart_upload(Call& call, const shape::AbortMultipartUploadRequest& request);

}  // namespace services::s3
