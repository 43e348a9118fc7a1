// SPDX-License-Identifier: Apache-2.0
// A bucket: its row, how requests name it, and who may do what with it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "services/call.h"

namespace services::s3 {

inline std::string bucket_arn(const std::string& name) { return "arn:aws:s3:::" + name; }

// What most requests need; its other settings are read where they are used.
struct Bucket {
  std::int64_t id = 0;
  std::string name, account, region;
  base::Time created_at;
  std::optional<std::string> versioning;    // "Enabled", "Suspended"
  std::optional<std::string> policy;        // as its owner wrote it
  std::optional<std::string> access_block, encryption, notification, lifecycle;  // the JSON of their shapes

  std::string arn() const { return bucket_arn(name); }
  bool versioned() const { return versioning == "Enabled"; }
};

std::optional<Bucket> load_bucket(store::Tx& tx, std::string_view name);

// What a request wants to do, as policies name it.
struct Ask {
  std::string_view action;                           // "s3:GetObject"
  std::string_view key = {};                         // of the object; "" for the bucket itself
  // Condition keys of its own, as "s3:prefix". Which of them policies may use: bucket_policy.cc.
  std::map<std::string, std::string> context = {};
  // Only the bucket's owner may, whatever its policy says; and the owner always.
  bool owners_only = false;
};

// The bucket that a request names. Throws NoSuchBucket, and AccessDenied where this caller may not
// or where it is not `expected_owner`'s.
Bucket find_bucket(Call& call, const std::string& name, const Ask& ask,
                   const std::optional<std::string>& expected_owner);

// Is it the one that the header x-amz-expected-bucket-owner names? Throws for what is no account.
bool is_expected(const Bucket& bucket, const std::optional<std::string>& owner);

// May this caller? For a bucket that is known already (a copy's source, each key of DeleteObjects).
bool allowed(const Call& call, const Bucket& bucket, const Ask& ask);

// The canonical id of an account, as it stands in Owner: 64 hexadecimal digits.
std::string canonical_id(std::string_view account);

}  // namespace services::s3
