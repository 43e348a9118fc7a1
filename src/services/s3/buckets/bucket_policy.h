// SPDX-License-Identifier: Apache-2.0
// A bucket's policy: whether Stoker can enforce it, and whether it is public.
#pragma once

#include <string>

#include "services/policy.h"
#include "services/s3/text_cache.h"

namespace services::s3 {

struct BucketPolicy {
  policy::Document document;
  bool is_public = false;  // in Amazon's sense: it allows access to people whom it does not name
};

BucketPolicy read_bucket_policy(const std::string& text);
using BucketPolicyCache = TextCache<BucketPolicy>;

// Throws MalformedPolicy with Amazon's messages, and NotImplemented for what Stoker cannot enforce.
void check_bucket_policy(const std::string& text, const std::string& bucket);

}  // namespace services::s3
