// SPDX-License-Identifier: Apache-2.0
// S3's operations on objects and uploads; those on buckets are in bucket_handlers.h. A before_x runs
// on a snapshot before x's body is read, and x in the transaction that makes it so.
#pragma once

#include "services/call.h"
#include "services/s3/post_object.h"
#include "shapes/s3/bucket_access.h"
#include "shapes/s3/object.h"
#include "shapes/s3/object_attributes.h"
#include "shapes/s3/object_copy.h"
#include "shapes/s3/object_delete.h"
#include "shapes/s3/object_head.h"
#include "shapes/s3/object_lock.h"
#include "shapes/s3/object_tagging.h"
#include "shapes/s3/upload.h"
#include "shapes/s3/upload_list.h"
#include "shapes/s3/upload_part.h"

namespace services::s3 {

// Object, Headers, Checksum and Delete are also names of ours.
namespace shape = shapes::s3;

// put_object.cc
void before_put_object(Call& call, const shape::PutObjectRequest& request);
shape::PutObjectOutput put_object(Call& call, const shape::PutObjectRequest& request);

// post_object.cc
void before_post_object(Call& call, const PostObjectRequest& request);
PostObjectOutput post_object(Call& call, const PostObjectRequest& request);

// get_object.cc
shape::GetObjectOutput get_object(Call& call, const shape::GetObjectRequest& request);
shape::HeadObjectOutput head_object(Call& call, const shape::HeadObjectRequest& request);

// object_attributes.cc
shape::GetObjectAttributesOutput get_object_attributes(Call& call, const shape::GetObjectAttributesRequest& request);

// delete_objects.cc
shape::DeleteObjectOutput delete_object(Call& call, const shape::DeleteObjectRequest& request);
shape::DeleteObjectsOutput delete_objects(Call& call, const shape::DeleteObjectsRequest& request);

// copy_object.cc
void before_copy_object(Call& call, const shape::CopyObjectRequest& request);
shape::CopyObjectOutput copy_object(Call& call, const shape::CopyObjectRequest& request);

// object_tagging.cc
shape::GetObjectTaggingOutput get_object_tagging(Call& call, const shape::GetObjectTaggingRequest& request);
shape::PutObjectTaggingOutput put_object_tagging(Call& call, const shape::PutObjectTaggingRequest& request);
shape::DeleteObjectTaggingOutput delete_object_tagging(Call& call, const shape::DeleteObjectTaggingRequest& request);

// object_lock.cc
shape::GetObjectLegalHoldOutput get_object_legal_hold(Call& call, const shape::GetObjectLegalHoldRequest& request);
shape::PutObjectLegalHoldOutput put_object_legal_hold(Call& call, const shape::PutObjectLegalHoldRequest& request);
shape::GetObjectRetentionOutput get_object_retention(Call& call, const shape::GetObjectRetentionRequest& request);
shape::PutObjectRetentionOutput put_object_retention(Call& call, const shape::PutObjectRetentionRequest& request);

// object_acl.cc
shape::GetObjectAclOutput get_object_acl(Call& call, const shape::GetObjectAclRequest& request);
shape::PutObjectAclOutput put_object_acl(Call& call, const shape::PutObjectAclRequest& request);

// create_upload.cc
shape::CreateMultipartUploadOutput create_multipart_upload(Call& call,
                                                           const shape::CreateMultipartUploadRequest& request);
shape::AbortMultipartUploadOutput abort_multipart_upload(Call& call, const shape::AbortMultipartUploadRequest& request);

// upload_part.cc
void before_upload_part(Call& call, const shape::UploadPartRequest& request);
shape::UploadPartOutput upload_part(Call& call, const shape::UploadPartRequest& request);

// upload_part_copy.cc
void before_upload_part_copy(Call& call, const shape::UploadPartCopyRequest& request);
shape::UploadPartCopyOutput upload_part_copy(Call& call, const shape::UploadPartCopyRequest& request);

// complete_upload.cc
shape::CompleteMultipartUploadOutput complete_multipart_upload(Call& call,
                                                               const shape::CompleteMultipartUploadRequest& request);

// list_parts.cc
shape::ListPartsOutput list_parts(Call& call, const shape::ListPartsRequest& request);

// list_uploads.cc
shape::ListMultipartUploadsOutput list_multipart_uploads(Call& call, const shape::ListMultipartUploadsRequest& request);

}  // namespace services::s3
