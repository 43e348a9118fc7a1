// SPDX-License-Identifier: Apache-2.0
// PutObject.
#pragma once

#include "services/s3/object_operation.h"
#include "services/s3/shape.h"
#include "services/s3/checksums.h"
#include "services/s3/objects/object_row.h"
#include "shapes/s3/object.h"

namespace services::s3 {

// What the request states, read once, before the body.
struct PutPlan {
  Headers headers;
  Tags tags;
  VersionLock lock;
  std::optional<ChecksumClaim> claim;
};

PutPlan prepare_put_object(ObjectCall& call, const shape::PutObjectRequest& request);
shape::PutObjectOutput put_object(ObjectCall& call, const shape::PutObjectRequest& request, const PutPlan& plan);

}  // namespace services::s3
