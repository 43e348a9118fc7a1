// SPDX-License-Identifier: Apache-2.0
// ListMultipartUploads.
#pragma once

#include "services/call.h"
#include "services/s3/shape.h"
#include "shapes/s3/upload_list.h"

namespace services::s3 {

// The account that created an upload, as lists show it.
shape::Initiator initiator(const std::string& account);

shape::ListMultipartUploadsOutput list_multipart_uploads(Call& call, const shape::ListMultipartUploadsRequest& request);

}  // namespace services::s3
