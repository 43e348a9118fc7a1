// SPDX-License-Identifier: Apache-2.0
#include "services/s3/bucket_handlers.h"

namespace services::s3 {

#define S3_READ(Name, function) operation<&function>(#Name, Access::Read, shapes::s3::k##Name##Http)
#define S3_WRITE(Name, function) operation<&function>(#Name, Access::Write, shapes::s3::k##Name##Http)

// The model asks all that have a body for a digest, for clients' sake. Amazon itself was seen to refuse only
// those that are marked so here, and DeleteObjects, without one.
std::vector<Operation> bucket_operations() {
  return {
      S3_WRITE(CreateBucket, create_bucket),
      S3_WRITE(DeleteBucket, delete_bucket),
      S3_WRITE(DeleteBucketCors, delete_bucket_cors),
      S3_WRITE(DeleteBucketEncryption, delete_bucket_encryption),
      S3_WRITE(DeleteBucketLifecycle, delete_bucket_lifecycle),
      S3_WRITE(DeleteBucketOwnershipControls, delete_bucket_ownership_controls),
      S3_WRITE(DeleteBucketPolicy, delete_bucket_policy),
      S3_WRITE(DeleteBucketTagging, delete_bucket_tagging),
      S3_WRITE(DeletePublicAccessBlock, delete_public_access_block),
      S3_READ(GetBucketAccelerateConfiguration, get_bucket_accelerate_configuration),
      S3_READ(GetBucketAcl, get_bucket_acl),
      S3_READ(GetBucketCors, get_bucket_cors),
      S3_READ(GetBucketEncryption, get_bucket_encryption),
      S3_READ(GetBucketLifecycleConfiguration, get_bucket_lifecycle_configuration),
      S3_READ(GetBucketLocation, get_bucket_location),
      S3_READ(GetBucketLogging, get_bucket_logging),
      S3_READ(GetBucketNotificationConfiguration, get_bucket_notification_configuration),
      S3_READ(GetBucketOwnershipControls, get_bucket_ownership_controls),
      S3_READ(GetBucketPolicy, get_bucket_policy),
      S3_READ(GetBucketPolicyStatus, get_bucket_policy_status),
      S3_READ(GetBucketReplication, get_bucket_replication),
      S3_READ(GetBucketRequestPayment, get_bucket_request_payment),
      S3_READ(GetBucketTagging, get_bucket_tagging),
      S3_READ(GetBucketVersioning, get_bucket_versioning),
      S3_READ(GetBucketWebsite, get_bucket_website),
      S3_READ(GetObjectLockConfiguration, get_object_lock_configuration),
      S3_READ(GetPublicAccessBlock, get_public_access_block),
      S3_READ(HeadBucket, head_bucket),
      S3_READ(ListBuckets, list_buckets),
      S3_READ(ListObjectVersions, list_object_versions),
      S3_READ(ListObjects, list_objects),
      S3_READ(ListObjectsV2, list_objects_v2),
      S3_WRITE(PutBucketAcl, put_bucket_acl),
      with_digest(S3_WRITE(PutBucketCors, put_bucket_cors)),
      S3_WRITE(PutBucketEncryption, put_bucket_encryption),
      with_digest(S3_WRITE(PutBucketLifecycleConfiguration, put_bucket_lifecycle_configuration)),
      S3_WRITE(PutBucketNotificationConfiguration, put_bucket_notification_configuration),
      S3_WRITE(PutBucketOwnershipControls, put_bucket_ownership_controls),
      S3_WRITE(PutBucketPolicy, put_bucket_policy),
      with_digest(S3_WRITE(PutBucketTagging, put_bucket_tagging)),
      S3_WRITE(PutBucketVersioning, put_bucket_versioning),
      S3_WRITE(PutPublicAccessBlock, put_public_access_block),
  };
}

}  // namespace services::s3
