// SPDX-License-Identifier: Apache-2.0
// A bucket's policy: whether it is one that can be kept to, and whether it is open to the world.
#pragma once

#include <string>

#include "services/policy.h"
#include "services/s3/text_cache.h"

namespace services::s3 {

struct BucketPolicy {
  policy::Document document;
  bool is_public = false;  // in Amazon's sense: it lets in people that it does not name
};

BucketPolicy read_bucket_policy(const std::string& text);
using BucketPolicyCache = TextCache<BucketPolicy>;

// Throws MalformedPolicy in Amazon's words, and NotImplemented for what could not be kept to here.
void check_bucket_policy(const std::string& text, const std::string& bucket);

}  // namespace services::s3
