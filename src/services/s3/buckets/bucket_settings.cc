// SPDX-License-Identifier: Apache-2.0
// Versioning, encryption and ownership.
#include "services/s3/buckets/bucket_settings.h"

#include "services/s3/buckets/setting_column.h"
#include "services/s3/errors.h"
#include "services/s3/operations.h"

namespace services::s3 {
namespace {

constexpr char kEncryptionColumn[] = "encryption", kOwnershipColumn[] = "ownership";

// Of buckets without an encryption configuration.
shape::ServerSideEncryptionConfiguration default_encryption() {
  return {{{.ApplyServerSideEncryptionByDefault = shape::ServerSideEncryptionByDefault{.SSEAlgorithm = "AES256"},
            .BucketKeyEnabled = false}}};
}

}  // namespace

void put_bucket_versioning(Call& call, const shape::PutBucketVersioningRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:PutBucketVersioning"}, request.ExpectedBucketOwner);
  const shape::VersioningConfiguration& configuration = request.VersioningConfiguration;
  if (configuration.MFADelete.value_or("Disabled") != "Disabled") throw not_implemented("MFA delete");
  if (!configuration.Status) {
    throw wire::ApiError("IllegalVersioningConfigurationException", "The Versioning element must be specified");
  }
  if (bucket.object_lock && configuration.Status != "Enabled") {
    throw wire::ApiError("InvalidBucketState",
                         "An Object Lock configuration is present on this bucket, so the versioning state cannot be "
                         "changed.");
  }
  write_setting(call.tx, bucket, "versioning", configuration.Status);
}

shape::GetBucketVersioningOutput get_bucket_versioning(Call& call, const shape::GetBucketVersioningRequest& request) {
  return {.Status = find_bucket(call, request.Bucket, {.action = "s3:GetBucketVersioning"}, request.ExpectedBucketOwner)
                        .versioning};
}

void put_bucket_encryption(Call& call, const shape::PutBucketEncryptionRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:PutEncryptionConfiguration"}, request.ExpectedBucketOwner);
  shape::ServerSideEncryptionConfiguration configuration = request.ServerSideEncryptionConfiguration;
  if (configuration.Rules.size() != 1) throw malformed_xml();
  shape::ServerSideEncryptionRule& rule = configuration.Rules.front();
  if (!rule.ApplyServerSideEncryptionByDefault) {
    rule.ApplyServerSideEncryptionByDefault = shape::ServerSideEncryptionByDefault{.SSEAlgorithm = "AES256"};
  }
  const shape::ServerSideEncryptionByDefault& by_default = *rule.ApplyServerSideEncryptionByDefault;
  const bool by_kms = by_default.SSEAlgorithm == "aws:kms" || by_default.SSEAlgorithm == "aws:kms:dsse";
  if (!by_kms && by_default.SSEAlgorithm != "AES256") throw malformed_xml();
  if (!by_kms && by_default.KMSMasterKeyID) {
    throw wire::ApiError("InvalidArgument",
                         "a KMSMasterKeyID is not applicable if the default sse algorithm is not aws:kms or aws:kms:dsse")
        .with("ArgumentName", "ApplyServerSideEncryptionByDefault");
  }
  if (!rule.BucketKeyEnabled) rule.BucketKeyEnabled = false;
  write_setting(call.tx, bucket, kEncryptionColumn, to_json(configuration));
}

shape::GetBucketEncryptionOutput get_bucket_encryption(Call& call, const shape::GetBucketEncryptionRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:GetEncryptionConfiguration"}, request.ExpectedBucketOwner);
  if (!bucket.encryption) return {default_encryption()};
  return {from_json<shape::ServerSideEncryptionConfiguration>(*bucket.encryption)};
}

void delete_bucket_encryption(Call& call, const shape::DeleteBucketEncryptionRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:PutEncryptionConfiguration"}, request.ExpectedBucketOwner);
  write_setting(call.tx, bucket, kEncryptionColumn, std::nullopt);
}

void put_bucket_ownership_controls(Call& call, const shape::PutBucketOwnershipControlsRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:PutBucketOwnershipControls"}, request.ExpectedBucketOwner);
  if (request.OwnershipControls.Rules.size() != 1) throw malformed_xml();
  const std::string& ownership = request.OwnershipControls.Rules.front().ObjectOwnership;
  if (ownership != "BucketOwnerEnforced") {
    throw not_implemented("Object ownership " + ownership + ", which needs access control lists,");
  }
  write_setting(call.tx, bucket, kOwnershipColumn, to_json(request.OwnershipControls));
}

shape::GetBucketOwnershipControlsOutput get_bucket_ownership_controls(
    Call& call, const shape::GetBucketOwnershipControlsRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:GetBucketOwnershipControls"}, request.ExpectedBucketOwner);
  auto controls = load_setting<shape::OwnershipControls>(call.tx, bucket, kOwnershipColumn);
  if (!controls) {
    throw not_set("OwnershipControlsNotFoundError", "The bucket ownership controls were not found", bucket);
  }
  return {std::move(*controls)};
}

void delete_bucket_ownership_controls(Call& call, const shape::DeleteBucketOwnershipControlsRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:PutBucketOwnershipControls"}, request.ExpectedBucketOwner);
  write_setting(call.tx, bucket, kOwnershipColumn, std::nullopt);
}

std::vector<ObjectOperation> bucket_settings_operations() {
  return {
      operation<&put_bucket_versioning>("PutBucketVersioning", Access::Write, shape::kPutBucketVersioningHttp),
      operation<&get_bucket_versioning>("GetBucketVersioning", Access::Read, shape::kGetBucketVersioningHttp),
      operation<&put_bucket_encryption>("PutBucketEncryption", Access::Write, shape::kPutBucketEncryptionHttp),
      operation<&get_bucket_encryption>("GetBucketEncryption", Access::Read, shape::kGetBucketEncryptionHttp),
      operation<&delete_bucket_encryption>("DeleteBucketEncryption", Access::Write,
                                           shape::kDeleteBucketEncryptionHttp),
      operation<&put_bucket_ownership_controls>("PutBucketOwnershipControls", Access::Write,
                                                shape::kPutBucketOwnershipControlsHttp),
      operation<&get_bucket_ownership_controls>("GetBucketOwnershipControls", Access::Read,
                                                shape::kGetBucketOwnershipControlsHttp),
      operation<&delete_bucket_ownership_controls>("DeleteBucketOwnershipControls", Access::Write,
                                                   shape::kDeleteBucketOwnershipControlsHttp),
  };
}

}  // namespace services::s3
