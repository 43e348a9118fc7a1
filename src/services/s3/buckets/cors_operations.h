// SPDX-License-Identifier: Apache-2.0
// Operations on a bucket's CORS rules.
#pragma once

#include "services/call.h"
#include "services/s3/shape.h"
#include "shapes/s3/bucket_settings.h"

namespace services::s3 {

void put_bucket_cors(Call& call, const shape::PutBucketCorsRequest& request);
shape::GetBucketCorsOutput get_bucket_cors(Call& call, const shape::GetBucketCorsRequest& request);
void delete_bucket_cors(Call& call, const shape::DeleteBucketCorsRequest& request);

}  // namespace services::s3
