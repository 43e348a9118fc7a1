// SPDX-License-Identifier: Apache-2.0
// The actions that a bucket's policy may name, including those of operations that Stoker does not support.
#pragma once

#include <string_view>

namespace services::s3 {

inline constexpr std::string_view kBucketActions[] = {
    "s3:CreateBucket", "s3:CreateBucketMetadataTableConfiguration", "s3:DeleteBucket",
    "s3:DeleteBucketMetadataTableConfiguration", "s3:DeleteBucketPolicy", "s3:DeleteBucketWebsite",
    "s3:GetAccelerateConfiguration", "s3:GetAnalyticsConfiguration", "s3:GetBucketAcl", "s3:GetBucketCORS",
    "s3:GetBucketLocation", "s3:GetBucketLogging", "s3:GetBucketMetadataTableConfiguration",
    "s3:GetBucketNotification", "s3:GetBucketObjectLockConfiguration", "s3:GetBucketOwnershipControls",
    "s3:GetBucketPolicy", "s3:GetBucketPolicyStatus", "s3:GetBucketPublicAccessBlock",
    "s3:GetBucketRequestPayment", "s3:GetBucketTagging", "s3:GetBucketVersioning", "s3:GetBucketWebsite",
    "s3:GetEncryptionConfiguration", "s3:GetIntelligentTieringConfiguration", "s3:GetInventoryConfiguration",
    "s3:GetLifecycleConfiguration", "s3:GetMetricsConfiguration", "s3:GetReplicationConfiguration",
    "s3:ListBucket", "s3:ListBucketMultipartUploads", "s3:ListBucketVersions", "s3:ListTagsForResource",
    "s3:PutAccelerateConfiguration", "s3:PutAnalyticsConfiguration", "s3:PutBucketAcl", "s3:PutBucketCORS",
    "s3:PutBucketLogging", "s3:PutBucketNotification", "s3:PutBucketObjectLockConfiguration",
    "s3:PutBucketOwnershipControls", "s3:PutBucketPolicy", "s3:PutBucketPublicAccessBlock",
    "s3:PutBucketRequestPayment", "s3:PutBucketTagging", "s3:PutBucketVersioning", "s3:PutBucketWebsite",
    "s3:PutEncryptionConfiguration", "s3:PutIntelligentTieringConfiguration", "s3:PutInventoryConfiguration",
    "s3:PutLifecycleConfiguration", "s3:PutMetricsConfiguration", "s3:PutReplicationConfiguration",
    "s3:TagResource", "s3:UntagResource"};

inline constexpr std::string_view kObjectActions[] = {
    "s3:AbortMultipartUpload", "s3:BypassGovernanceRetention", "s3:DeleteObject", "s3:DeleteObjectTagging",
    "s3:DeleteObjectVersion", "s3:DeleteObjectVersionTagging", "s3:GetObject", "s3:GetObjectAcl",
    "s3:GetObjectAttributes", "s3:GetObjectLegalHold", "s3:GetObjectRetention", "s3:GetObjectTagging",
    "s3:GetObjectTorrent", "s3:GetObjectVersion", "s3:GetObjectVersionAcl", "s3:GetObjectVersionAttributes",
    "s3:GetObjectVersionForReplication", "s3:GetObjectVersionTagging", "s3:GetObjectVersionTorrent",
    "s3:InitiateReplication", "s3:ListMultipartUploadParts", "s3:ObjectOwnerOverrideToBucketOwner",
    "s3:PutObject", "s3:PutObjectAcl", "s3:PutObjectLegalHold", "s3:PutObjectRetention", "s3:PutObjectTagging",
    "s3:PutObjectVersionAcl", "s3:PutObjectVersionTagging", "s3:ReplicateDelete", "s3:ReplicateObject",
    "s3:ReplicateTags", "s3:RestoreObject"};

}  // namespace services::s3
