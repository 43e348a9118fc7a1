// SPDX-License-Identifier: Apache-2.0
// S3's operations on buckets and their settings. Each is in the file that is named after what it
// works on.
#pragma once

#include <vector>

#include "services/operation.h"
#include "services/s3/bucket.h"
#include "shapes/s3/bucket.h"
#include "shapes/s3/bucket_access.h"
#include "shapes/s3/bucket_encryption.h"
#include "shapes/s3/bucket_settings.h"
#include "shapes/s3/bucket_unset.h"
#include "shapes/s3/lifecycle.h"
#include "shapes/s3/notification.h"
#include "shapes/s3/object_list.h"

namespace services::s3 {

// Bucket, Object and LifecycleRule are also names of ours.
namespace shape = shapes::s3;

// buckets.cc
shape::CreateBucketOutput create_bucket(Call& call, const shape::CreateBucketRequest& request);
shape::HeadBucketOutput head_bucket(Call& call, const shape::HeadBucketRequest& request);
shape::ListBucketsOutput list_buckets(Call& call, const shape::ListBucketsRequest& request);
void delete_bucket(Call& call, const shape::DeleteBucketRequest& request);
shape::GetBucketLocationOutput get_bucket_location(Call& call, const shape::GetBucketLocationRequest& request);

// bucket_tagging.cc
void put_bucket_tagging(Call& call, const shape::PutBucketTaggingRequest& request);
shape::GetBucketTaggingOutput get_bucket_tagging(Call& call, const shape::GetBucketTaggingRequest& request);
void delete_bucket_tagging(Call& call, const shape::DeleteBucketTaggingRequest& request);

// bucket_settings.cc
void put_bucket_versioning(Call& call, const shape::PutBucketVersioningRequest& request);
shape::GetBucketVersioningOutput get_bucket_versioning(Call& call, const shape::GetBucketVersioningRequest& request);
void put_bucket_encryption(Call& call, const shape::PutBucketEncryptionRequest& request);
shape::GetBucketEncryptionOutput get_bucket_encryption(Call& call, const shape::GetBucketEncryptionRequest& request);
void delete_bucket_encryption(Call& call, const shape::DeleteBucketEncryptionRequest& request);
void put_bucket_ownership_controls(Call& call, const shape::PutBucketOwnershipControlsRequest& request);
shape::GetBucketOwnershipControlsOutput get_bucket_ownership_controls(
    Call& call, const shape::GetBucketOwnershipControlsRequest& request);
void delete_bucket_ownership_controls(Call& call, const shape::DeleteBucketOwnershipControlsRequest& request);

// bucket_cors.cc
void put_bucket_cors(Call& call, const shape::PutBucketCorsRequest& request);
shape::GetBucketCorsOutput get_bucket_cors(Call& call, const shape::GetBucketCorsRequest& request);
void delete_bucket_cors(Call& call, const shape::DeleteBucketCorsRequest& request);

// bucket_access.cc
void put_bucket_policy(Call& call, const shape::PutBucketPolicyRequest& request);
shape::GetBucketPolicyOutput get_bucket_policy(Call& call, const shape::GetBucketPolicyRequest& request);
void delete_bucket_policy(Call& call, const shape::DeleteBucketPolicyRequest& request);
shape::GetBucketPolicyStatusOutput get_bucket_policy_status(Call& call,
                                                            const shape::GetBucketPolicyStatusRequest& request);
void put_public_access_block(Call& call, const shape::PutPublicAccessBlockRequest& request);
shape::GetPublicAccessBlockOutput get_public_access_block(Call& call,
                                                          const shape::GetPublicAccessBlockRequest& request);
void delete_public_access_block(Call& call, const shape::DeletePublicAccessBlockRequest& request);
shape::GetBucketAclOutput get_bucket_acl(Call& call, const shape::GetBucketAclRequest& request);
void put_bucket_acl(Call& call, const shape::PutBucketAclRequest& request);

// unset_settings.cc: what no bucket here has, said as Amazon says it of a bucket that has it not
shape::GetBucketLoggingOutput get_bucket_logging(Call& call, const shape::GetBucketLoggingRequest& request);
shape::GetBucketWebsiteOutput get_bucket_website(Call& call, const shape::GetBucketWebsiteRequest& request);
shape::GetBucketReplicationOutput get_bucket_replication(Call& call, const shape::GetBucketReplicationRequest& request);
shape::GetBucketRequestPaymentOutput get_bucket_request_payment(Call& call,
                                                                const shape::GetBucketRequestPaymentRequest& request);
shape::GetBucketAccelerateConfigurationOutput get_bucket_accelerate_configuration(
    Call& call, const shape::GetBucketAccelerateConfigurationRequest& request);
shape::GetObjectLockConfigurationOutput get_object_lock_configuration(
    Call& call, const shape::GetObjectLockConfigurationRequest& request);

// bucket_lifecycle.cc
shape::PutBucketLifecycleConfigurationOutput put_bucket_lifecycle_configuration(
    Call& call, const shape::PutBucketLifecycleConfigurationRequest& request);
shape::GetBucketLifecycleConfigurationOutput get_bucket_lifecycle_configuration(
    Call& call, const shape::GetBucketLifecycleConfigurationRequest& request);
void delete_bucket_lifecycle(Call& call, const shape::DeleteBucketLifecycleRequest& request);

// notification.cc
void put_bucket_notification_configuration(Call& call,
                                           const shape::PutBucketNotificationConfigurationRequest& request);
shape::NotificationConfiguration get_bucket_notification_configuration(
    Call& call, const shape::GetBucketNotificationConfigurationRequest& request);

// list_objects.cc
shape::ListObjectsOutput list_objects(Call& call, const shape::ListObjectsRequest& request);
shape::ListObjectsV2Output list_objects_v2(Call& call, const shape::ListObjectsV2Request& request);

// list_versions.cc
shape::ListObjectVersionsOutput list_object_versions(Call& call, const shape::ListObjectVersionsRequest& request);

// All of the above, for S3's table.
std::vector<Operation> bucket_operations();

}  // namespace services::s3
