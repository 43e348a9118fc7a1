// SPDX-License-Identifier: Apache-2.0
// Operations on settings that no bucket here has, or that have no meaning outside of AWS.
#pragma once

#include "services/call.h"
#include "services/s3/shape.h"
#include "shapes/s3/bucket_unset.h"

namespace services::s3 {

shape::GetBucketLoggingOutput get_bucket_logging(Call& call, const shape::GetBucketLoggingRequest& request);
shape::GetBucketWebsiteOutput get_bucket_website(Call& call, const shape::GetBucketWebsiteRequest& request);
shape::GetBucketReplicationOutput get_bucket_replication(Call& call, const shape::GetBucketReplicationRequest& request);
shape::GetBucketRequestPaymentOutput get_bucket_request_payment(Call& call,
                                                                const shape::GetBucketRequestPaymentRequest& request);
shape::GetBucketAccelerateConfigurationOutput get_bucket_accelerate_configuration(
    Call& call, const shape::GetBucketAccelerateConfigurationRequest& request);
void put_bucket_logging(Call& call, const shape::PutBucketLoggingRequest& request);
void delete_bucket_website(Call& call, const shape::DeleteBucketWebsiteRequest& request);
void delete_bucket_replication(Call& call, const shape::DeleteBucketReplicationRequest& request);
void put_bucket_request_payment(Call& call, const shape::PutBucketRequestPaymentRequest& request);
void put_bucket_accelerate_configuration(Call& call, const shape::PutBucketAccelerateConfigurationRequest& request);

}  // namespace services::s3
