// SPDX-License-Identifier: Apache-2.0
#include "services/s3/service.h"

#include "services/s3/absent.h"
#include "services/s3/bucket_handlers.h"
#include "services/s3/cors.h"
#include "services/s3/errors.h"
#include "services/s3/handlers.h"
#include "services/s3/unset_configurations.h"
#include "wire/xml.h"

namespace services::s3 {
namespace {

// A copy's request has no body: what may have to be read are its source's bytes.
std::vector<Operation> object_operations() {
  return {
      operation<&abort_multipart_upload>("AbortMultipartUpload", Access::Write, shape::kAbortMultipartUploadHttp),
      operation<&complete_multipart_upload>("CompleteMultipartUpload", Access::Write,
                                            shape::kCompleteMultipartUploadHttp),
      with_body<&before_copy_object>(operation<&copy_object>("CopyObject", Access::Write, shape::kCopyObjectHttp),
                                     Body::Whole),
      operation<&create_multipart_upload>("CreateMultipartUpload", Access::Write, shape::kCreateMultipartUploadHttp),
      operation<&delete_object>("DeleteObject", Access::Write, shape::kDeleteObjectHttp),
      operation<&delete_object_tagging>("DeleteObjectTagging", Access::Write, shape::kDeleteObjectTaggingHttp),
      with_digest(operation<&delete_objects>("DeleteObjects", Access::Write, shape::kDeleteObjectsHttp)),
      operation<&get_object>("GetObject", Access::Read, shape::kGetObjectHttp),
      operation<&get_object_acl>("GetObjectAcl", Access::Read, shape::kGetObjectAclHttp),
      operation<&get_object_attributes>("GetObjectAttributes", Access::Read, shape::kGetObjectAttributesHttp),
      operation<&get_object_legal_hold>("GetObjectLegalHold", Access::Read, shape::kGetObjectLegalHoldHttp),
      operation<&get_object_retention>("GetObjectRetention", Access::Read, shape::kGetObjectRetentionHttp),
      operation<&get_object_tagging>("GetObjectTagging", Access::Read, shape::kGetObjectTaggingHttp),
      operation<&head_object>("HeadObject", Access::Read, shape::kHeadObjectHttp),
      operation<&list_multipart_uploads>("ListMultipartUploads", Access::Read, shape::kListMultipartUploadsHttp),
      operation<&list_parts>("ListParts", Access::Read, shape::kListPartsHttp),
      with_body<&before_post_object>(operation<&post_object>("PostObject", Access::Write, kPostObjectHttp), Body::Form),
      with_body<&before_put_object>(operation<&put_object>("PutObject", Access::Write, shape::kPutObjectHttp),
                                    Body::Spooled),
      operation<&put_object_acl>("PutObjectAcl", Access::Write, shape::kPutObjectAclHttp),
      with_digest(operation<&put_object_legal_hold>("PutObjectLegalHold", Access::Write, shape::kPutObjectLegalHoldHttp)),
      with_digest(operation<&put_object_retention>("PutObjectRetention", Access::Write, shape::kPutObjectRetentionHttp)),
      operation<&put_object_tagging>("PutObjectTagging", Access::Write, shape::kPutObjectTaggingHttp),
      with_body<&before_upload_part>(operation<&upload_part>("UploadPart", Access::Write, shape::kUploadPartHttp),
                                     Body::Spooled),
      with_body<&before_upload_part_copy>(
          operation<&upload_part_copy>("UploadPartCopy", Access::Write, shape::kUploadPartCopyHttp), Body::Whole),
  };
}

std::vector<Operation> operations() {
  std::vector<Operation> all = object_operations();
  for (Operation& row : bucket_operations()) all.push_back(row);
  for (Operation& row : configuration_operations()) all.push_back(row);
  return all;
}

}  // namespace

Service service() {
  static const std::vector<wire::ErrorSpec> errors = error_table();
  Service s3;
  s3.wire = {.name = "s3",
             .api_version = "2006-03-01",
             .xml_namespace = "http://s3.amazonaws.com/doc/2006-03-01/",
             .errors = errors};
  s3.signing_name = "s3";
  s3.protocols = {wire::Protocol::RestXml};
  s3.body_limit = wire::kMaxXmlBytes;
  s3.operations = operations();
  s3.violation_error = &violation_error;
  s3.absent = absent_subresources();
  s3.cors = &cors_headers;
  return s3;
}

}  // namespace services::s3
