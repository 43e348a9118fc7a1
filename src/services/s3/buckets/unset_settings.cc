// SPDX-License-Identifier: Apache-2.0
// Settings that no bucket here has: tools ask for them all, and get what Amazon says of a bucket
// that was never given them.
#include "services/s3/buckets/unset_settings.h"

#include "services/s3/buckets/setting_column.h"
#include "services/s3/operations.h"

namespace services::s3 {

shape::GetBucketLoggingOutput get_bucket_logging(Call& call, const shape::GetBucketLoggingRequest& request) {
  find_bucket(call, request.Bucket, {.action = "s3:GetBucketLogging"}, request.ExpectedBucketOwner);
  return {};
}

shape::GetBucketWebsiteOutput get_bucket_website(Call& call, const shape::GetBucketWebsiteRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:GetBucketWebsite"}, request.ExpectedBucketOwner);
  throw not_set("NoSuchWebsiteConfiguration", "The specified bucket does not have a website configuration", bucket);
}

shape::GetBucketReplicationOutput get_bucket_replication(Call& call,
                                                         const shape::GetBucketReplicationRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:GetReplicationConfiguration"}, request.ExpectedBucketOwner);
  throw not_set("ReplicationConfigurationNotFoundError", "The replication configuration was not found", bucket);
}

shape::GetBucketRequestPaymentOutput get_bucket_request_payment(Call& call,
                                                                const shape::GetBucketRequestPaymentRequest& request) {
  find_bucket(call, request.Bucket, {.action = "s3:GetBucketRequestPayment"}, request.ExpectedBucketOwner);
  return {.Payer = "BucketOwner"};
}

shape::GetBucketAccelerateConfigurationOutput get_bucket_accelerate_configuration(
    Call& call, const shape::GetBucketAccelerateConfigurationRequest& request) {
  find_bucket(call, request.Bucket, {.action = "s3:GetAccelerateConfiguration"}, request.ExpectedBucketOwner);
  return {};
}

shape::GetObjectLockConfigurationOutput get_object_lock_configuration(
    Call& call, const shape::GetObjectLockConfigurationRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:GetBucketObjectLockConfiguration"}, request.ExpectedBucketOwner);
  throw not_set("ObjectLockConfigurationNotFoundError", "Object Lock configuration does not exist for this bucket", bucket);
}

std::vector<ObjectOperation> unset_settings_operations() {
  return {
      operation<&get_bucket_logging>("GetBucketLogging", Access::Read, shape::kGetBucketLoggingHttp),
      operation<&get_bucket_website>("GetBucketWebsite", Access::Read, shape::kGetBucketWebsiteHttp),
      operation<&get_bucket_replication>("GetBucketReplication", Access::Read, shape::kGetBucketReplicationHttp),
      operation<&get_bucket_request_payment>("GetBucketRequestPayment", Access::Read,
                                             shape::kGetBucketRequestPaymentHttp),
      operation<&get_bucket_accelerate_configuration>("GetBucketAccelerateConfiguration", Access::Read,
                                                      shape::kGetBucketAccelerateConfigurationHttp),
      operation<&get_object_lock_configuration>("GetObjectLockConfiguration", Access::Read,
                                                shape::kGetObjectLockConfigurationHttp),
  };
}

}  // namespace services::s3
