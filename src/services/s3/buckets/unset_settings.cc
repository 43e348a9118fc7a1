// SPDX-License-Identifier: Apache-2.0
// Settings that no bucket here has. Tools read them all, and get Amazon's response for a bucket without them; what leaves
// a bucket without them succeeds. Transfer acceleration is stored: it is about Amazon's network.
#include "services/s3/buckets/unset_settings.h"

#include "services/s3/buckets/setting_column.h"
#include "services/s3/errors.h"
#include "services/s3/operations.h"

namespace services::s3 {
namespace {

constexpr char kAcceleration[] = "acceleration";

}  // namespace

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
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:GetAccelerateConfiguration"}, request.ExpectedBucketOwner);
  return {.Status = read_setting(call.tx, bucket, kAcceleration)};
}

void put_bucket_logging(Call& call, const shape::PutBucketLoggingRequest& request) {
  find_bucket(call, request.Bucket, {.action = "s3:PutBucketLogging"}, request.ExpectedBucketOwner);
  if (request.BucketLoggingStatus.LoggingEnabled) throw not_implemented("Server access logging");
}

void delete_bucket_website(Call& call, const shape::DeleteBucketWebsiteRequest& request) {
  find_bucket(call, request.Bucket, {.action = "s3:DeleteBucketWebsite"}, request.ExpectedBucketOwner);
}

void delete_bucket_replication(Call& call, const shape::DeleteBucketReplicationRequest& request) {
  find_bucket(call, request.Bucket, {.action = "s3:PutReplicationConfiguration"}, request.ExpectedBucketOwner);
}

void put_bucket_request_payment(Call& call, const shape::PutBucketRequestPaymentRequest& request) {
  find_bucket(call, request.Bucket, {.action = "s3:PutBucketRequestPayment"}, request.ExpectedBucketOwner);
  if (request.RequestPaymentConfiguration.Payer != "BucketOwner") throw not_implemented("Requester Pays");
}

void put_bucket_accelerate_configuration(Call& call, const shape::PutBucketAccelerateConfigurationRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:PutAccelerateConfiguration"}, request.ExpectedBucketOwner);
  const auto& status = request.AccelerateConfiguration.Status;
  if (!status) throw malformed_xml();
  if (bucket.name.find('.') != bucket.name.npos) {
    throw invalid_request("S3 Transfer Acceleration is not supported for buckets with periods (.) in their names");
  }
  write_setting(call.tx, bucket, kAcceleration, status);
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
      operation<&put_bucket_logging>("PutBucketLogging", Access::Write, shape::kPutBucketLoggingHttp),
      operation<&delete_bucket_website>("DeleteBucketWebsite", Access::Write, shape::kDeleteBucketWebsiteHttp),
      operation<&delete_bucket_replication>("DeleteBucketReplication", Access::Write,
                                            shape::kDeleteBucketReplicationHttp),
      operation<&put_bucket_request_payment>("PutBucketRequestPayment", Access::Write,
                                             shape::kPutBucketRequestPaymentHttp),
      operation<&put_bucket_accelerate_configuration>("PutBucketAccelerateConfiguration", Access::Write,
                                                      shape::kPutBucketAccelerateConfigurationHttp),
  };
}

}  // namespace services::s3
