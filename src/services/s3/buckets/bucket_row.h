// SPDX-License-Identifier: Apache-2.0
// A bucket: its row, how requests name it, and access to it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "services/call.h"

namespace services::s3 {

inline std::string bucket_arn(const std::string& name) { return "arn:aws:s3:::" + name; }

// The columns that most requests need. Other settings are read where they are used.
struct Bucket {
  std::int64_t id = 0;
  std::string name, account, region;
  base::Time created_at;
  std::optional<std::string> versioning;    // "Enabled", "Suspended"
  std::optional<std::string> policy;        // as its owner wrote it
  std::optional<std::string> access_block, encryption, notification, lifecycle, object_lock;  // JSON of their shapes

  std::string arn() const { return bucket_arn(name); }
  bool versioned() const { return versioning == "Enabled"; }
};

std::optional<Bucket> load_bucket(store::Tx& tx, std::string_view name);

// An action on a bucket or an object, as policies name it.
struct AccessRequest {
  std::string_view action;                           // "s3:GetObject"
  std::string_view key = {};                         // of the object; "" for the bucket itself
  // Condition keys of this action, as "s3:prefix". bucket_policy.cc lists those that policies may use.
  std::map<std::string, std::string> context = {};
  // Only the bucket's owner may, and always may, whatever the policy states.
  bool owners_only = false;
};

// The bucket that a request names. Throws NoSuchBucket, and AccessDenied where the caller may not do this or where
// `expected_owner` is not the owner.
Bucket find_bucket(Call& call, const std::string& name, const AccessRequest& access,
                   const std::optional<std::string>& expected_owner);

// Whether the header x-amz-expected-bucket-owner is absent or names the owner. Throws for an invalid account.
bool is_expected_owner(const Bucket& bucket, const std::optional<std::string>& owner);

// Whether the caller may do this. For a bucket that is loaded already (the source of a copy, each key of
// DeleteObjects).
bool allowed(const Call& call, const Bucket& bucket, const AccessRequest& access);

// The canonical id of an account, as responses show it in Owner: 64 hexadecimal digits.
std::string canonical_id(std::string_view account);

}  // namespace services::s3
