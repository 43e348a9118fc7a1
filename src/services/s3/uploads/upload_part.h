// SPDX-License-Identifier: Apache-2.0
// UploadPart.
#pragma once

#include "services/s3/object_operation.h"
#include "services/s3/checksums.h"
#include "services/s3/shape.h"
#include "shapes/s3/upload_part.h"

namespace services::s3 {

// What the request states, read once, before the body.
struct PartPlan {
  std::optional<ChecksumClaim> claim;
};

PartPlan prepare_upload_part(ObjectCall& call, const shape::UploadPartRequest& request);
shape::UploadPartOutput upload_part(ObjectCall& call, const shape::UploadPartRequest& request, const PartPlan& plan);

}  // namespace services::s3
