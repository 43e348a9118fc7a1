// SPDX-License-Identifier: Apache-2.0
#include "services/s3/buckets/bucket_operations.h"

#include "services/s3/buckets/bucket_name.h"
#include "services/s3/buckets/bucket_tagging.h"
#include "services/s3/errors.h"
#include "services/s3/list_request.h"
#include "services/s3/objects/object_row.h"
#include "services/s3/operations.h"
#include "services/s3/whole_seconds.h"
#include "services/shape_json.h"
#include "shapes/s3/bucket_access.h"
#include "shapes/s3/bucket_encryption.h"
#include "shapes/s3/object_lock.h"

namespace services::s3 {
namespace {

constexpr std::int64_t kMaxBuckets = 10000;  // of one account
constexpr std::int32_t kMaxListedBuckets = 10000;

// Rejects what Stoker does not support.
void check_creation(const shape::CreateBucketRequest& request) {
  if (request.BucketNamespace.value_or("global") != "global") throw not_implemented("An account regional namespace");
  if (const auto& configuration = request.CreateBucketConfiguration) {
    if (configuration->Location || configuration->Bucket) throw not_implemented("A directory bucket");
  }
  if (request.ObjectOwnership.value_or("BucketOwnerEnforced") != "BucketOwnerEnforced") {
    throw not_implemented("Object ownership " + *request.ObjectOwnership + ", which needs access control lists,");
  }
  const bool grants = request.GrantFullControl || request.GrantRead || request.GrantReadACP || request.GrantWrite ||
                      request.GrantWriteACP;
  if (grants || request.ACL.value_or("private") != "private") {
    throw wire::ApiError("InvalidBucketAclWithObjectOwnership",
                         "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting");
  }
}

// The name is taken. True where that is no error, and nothing is to be done.
bool is_repeated_creation(const Call& call, const Bucket& standing) {
  if (standing.account != call.caller.account) {
    throw wire::ApiError("BucketAlreadyExists",
                         "The requested bucket name is not available. The bucket namespace is shared by all users of "
                         "the system. Please select a different name and try again.")
        .with("BucketName", standing.name);
  }
  if (standing.region == kDefaultRegion && call.caller.region == kDefaultRegion) return true;
  throw wire::ApiError("BucketAlreadyOwnedByYou",
                       "Your previous request to create the named bucket succeeded and you already own it.")
      .with("BucketName", standing.name);
}

// As at Amazon: without public access, with ownership by the bucket's owner.
void insert_bucket(Call& call, const std::string& name, const std::string& region, bool object_lock) {
  const shape::PublicAccessBlockConfiguration block{true, true, true, true};
  const shape::OwnershipControls ownership{{{"BucketOwnerEnforced"}}};
  std::optional<std::string> versioning, lock;
  if (object_lock) {
    versioning = "Enabled";
    lock = to_json(shape::ObjectLockConfiguration{.ObjectLockEnabled = "Enabled"});
  }
  call.tx.exec("INSERT INTO s3_buckets (name, account, region, created_at, access_block, ownership, versioning,"
               " object_lock) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
               name, call.caller.account, region, call.now, to_json(block), to_json(ownership), versioning, lock);
}

// Unfinished uploads do not keep a bucket from being deleted.
void delete_uploads(Call& call, const Bucket& bucket) {
  const auto uploads = call.tx.query("SELECT id FROM s3_uploads WHERE bucket = $1", bucket.id)
                           .all([](const store::Row& row) { return row.integer(0); });
  for (std::int64_t upload : uploads) delete_upload(call, bucket, upload);
}

// As at Amazon: a path in the first region, a URL in all others.
std::string location_of(const Call& call, const std::string& region, const std::string& bucket) {
  return region == "us-east-1" ? "/" + bucket : call.caller.endpoint + "/" + bucket + "/";
}

}  // namespace

shape::CreateBucketOutput create_bucket(Call& call, const shape::CreateBucketRequest& request) {
  if (call.caller.anonymous()) throw access_denied();
  if (!is_bucket_name(request.Bucket)) {
    throw wire::ApiError("InvalidBucketName", "The specified bucket is not valid.").with("BucketName", request.Bucket);
  }
  check_creation(request);
  const auto configuration = request.CreateBucketConfiguration.value_or(shape::CreateBucketConfiguration());
  const std::string region = region_of_new_bucket(configuration.LocationConstraint, call.caller.region);
  shape::CreateBucketOutput output{.Location = location_of(call, region, request.Bucket), .BucketArn = bucket_arn(request.Bucket)};
  if (auto standing = load_bucket(call.tx, request.Bucket); standing && is_repeated_creation(call, *standing)) return output;
  const std::int64_t count =
      call.tx.query("SELECT count(*) FROM s3_buckets WHERE account = $1", call.caller.account).integer();
  if (count >= kMaxBuckets) {
    throw wire::ApiError("TooManyBuckets", "You have attempted to create more buckets than allowed");
  }
  insert_bucket(call, request.Bucket, region, request.ObjectLockEnabledForBucket.value_or(false));
  if (configuration.Tags) set_bucket_tags(call.tx, *load_bucket(call.tx, request.Bucket), *configuration.Tags);
  return output;
}

shape::HeadBucketOutput head_bucket(Call& call, const shape::HeadBucketRequest& request) {
  const std::optional<Bucket> bucket = load_bucket(call.tx, request.Bucket);
  if (!bucket) throw no_such_bucket(request.Bucket);
  if (!is_expected_owner(*bucket, request.ExpectedBucketOwner) || !allowed(call, *bucket, {.action = "s3:ListBucket"})) {
    throw access_denied().with_header("x-amz-bucket-region", bucket->region);
  }
  return {.BucketArn = bucket->arn(), .BucketRegion = bucket->region, .AccessPointAlias = false};
}

shape::ListBucketsOutput list_buckets(Call& call, const shape::ListBucketsRequest& request) {
  if (call.caller.anonymous()) throw access_denied();
  const std::string region = request.BucketRegion.value_or("");
  if (!region.empty() && !is_region(region) && region != call.caller.region) {
    throw invalid_argument("Argument value " + region + " is not a valid AWS Region", "bucket-region");
  }
  const std::string prefix = request.Prefix.value_or("");
  const bool goes_on = !request.ContinuationToken.value_or("").empty();
  const std::string after = goes_on ? parse_page_token(*request.ContinuationToken) : "";
  const auto most = static_cast<std::size_t>(request.MaxBuckets.value_or(kMaxListedBuckets));
  // Amazon shows regions and ARNs only where the request has a parameter.
  const bool regions = request.MaxBuckets || request.ContinuationToken || request.Prefix || request.BucketRegion;
  std::vector<shape::Bucket> buckets;
  // Names are ASCII, so 0x7f bounds those with the prefix.
  call.tx
      .query("SELECT name, created_at, region FROM s3_buckets WHERE account = $1 AND name > $2 AND name >= $3"
             " AND name < $4 AND ($5 = '' OR region = $5) ORDER BY name LIMIT $6",
             call.caller.account, after, prefix, prefix + "\x7f", region, most + 1)
      .each([&](const store::Row& row) {
        shape::Bucket bucket{.Name = row.str(0), .CreationDate = whole_seconds(row.time(1))};
        if (regions) bucket.BucketRegion = row.str(2);
        if (regions) bucket.BucketArn = bucket_arn(row.str(0));
        buckets.push_back(std::move(bucket));
      });
  shape::ListBucketsOutput output{.Owner = shape::Owner{.ID = canonical_id(call.caller.account)},
                                  .Prefix = request.Prefix};
  if (buckets.size() > most) {
    buckets.pop_back();
    output.ContinuationToken = page_token(*buckets.back().Name);
  }
  output.Buckets = std::move(buckets);
  return output;
}

void delete_bucket(Call& call, const shape::DeleteBucketRequest& request) {
  const Bucket bucket = find_bucket(call, request.Bucket, {.action = "s3:DeleteBucket"}, request.ExpectedBucketOwner);
  // A key with noncurrent versions also has a latest one.
  const bool holds = call.tx
                         .query("SELECT 1 FROM s3_objects WHERE bucket = $1 AND marker IN (0, 1) AND latest = 1 LIMIT 1",
                                bucket.id)
                         .integer() != 0;
  if (holds) {
    const std::string message = "The bucket you tried to delete is not empty";
    throw wire::ApiError("BucketNotEmpty",
                         bucket.versioning ? message + ". You must delete all versions in the bucket." : message)
        .with("BucketName", bucket.name);
  }
  delete_uploads(call, bucket);
  call.tx.exec("DELETE FROM s3_buckets WHERE id = $1", bucket.id);
}

shape::GetBucketLocationOutput get_bucket_location(Call& call, const shape::GetBucketLocationRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:GetBucketLocation"}, request.ExpectedBucketOwner);
  if (bucket.region == kDefaultRegion) return {};
  return {.LocationConstraint = bucket.region};
}

std::vector<ObjectOperation> bucket_operations() {
  return {
      operation<&create_bucket>("CreateBucket", Access::Write, shape::kCreateBucketHttp),
      operation<&head_bucket>("HeadBucket", Access::Read, shape::kHeadBucketHttp),
      operation<&list_buckets>("ListBuckets", Access::Read, shape::kListBucketsHttp),
      operation<&delete_bucket>("DeleteBucket", Access::Write, shape::kDeleteBucketHttp),
      operation<&get_bucket_location>("GetBucketLocation", Access::Read, shape::kGetBucketLocationHttp),
  };
}

}  // namespace services::s3
