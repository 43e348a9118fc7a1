// SPDX-License-Identifier: Apache-2.0
// Operations on a bucket's lifecycle.
#pragma once

#include "services/call.h"
#include "services/s3/shape.h"
#include "shapes/s3/lifecycle.h"

namespace services::s3 {

shape::PutBucketLifecycleConfigurationOutput put_bucket_lifecycle_configuration(
    Call& call, const shape::PutBucketLifecycleConfigurationRequest& request);
shape::GetBucketLifecycleConfigurationOutput get_bucket_lifecycle_configuration(
    Call& call, const shape::GetBucketLifecycleConfigurationRequest& request);
void delete_bucket_lifecycle(Call& call, const shape::DeleteBucketLifecycleRequest& request);

}  // namespace services::s3
