// SPDX-License-Identifier: Apache-2.0
#include "services/s3/buckets/bucket_row.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "services/s3/errors.h"

namespace services::s3 {

std::optional<Bucket> load_bucket(store::Tx& tx, std::string_view name) {
  return tx
      .query("SELECT id, name, account, region, created_at, versioning, policy, access_block, encryption, notification,"
             " lifecycle, object_lock FROM s3_buckets WHERE name = $1",
             name)
      .one([](const store::Row& row) {
        Bucket bucket;
        bucket.id = row.integer(0);
        bucket.name = row.str(1);
        bucket.account = row.str(2);
        bucket.region = row.str(3);
        bucket.created_at = row.time(4);
        bucket.versioning = row.maybe_str(5);
        bucket.policy = row.maybe_str(6);
        bucket.access_block = row.maybe_str(7);
        bucket.encryption = row.maybe_str(8);
        bucket.notification = row.maybe_str(9);
        bucket.lifecycle = row.maybe_str(10);
        bucket.object_lock = row.maybe_str(11);
        return bucket;
      });
}

bool is_expected_owner(const Bucket& bucket, const std::optional<std::string>& owner) {
  if (!owner) return true;
  if (owner->size() != 12 || owner->find_first_not_of("0123456789") != owner->npos) {
    throw wire::ApiError("InvalidBucketOwnerAWSAccountID",
                         "The value of the expected bucket owner parameter must be an AWS Account ID... [" + *owner + "]",
                         400);
  }
  return *owner == bucket.account;
}

Bucket find_bucket(Call& call, const std::string& name, const AccessRequest& access,
                   const std::optional<std::string>& expected_owner) {
  std::optional<Bucket> bucket = load_bucket(call.tx, name);
  if (!bucket) throw no_such_bucket(name);
  if (!is_expected_owner(*bucket, expected_owner)) throw access_denied();
  if (!allowed(call, *bucket, access)) throw access_denied();
  return std::move(*bucket);
}

// Derived from the account, so that it is the same on every server; not Amazon's real one.
std::string canonical_id(std::string_view account) {
  return base::to_hex(base::sha256("canonical user " + std::string(account)));
}

}  // namespace services::s3
