// SPDX-License-Identifier: Apache-2.0
// A bucket's policy, from its text to a decision: every accepted policy can be evaluated.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "services/policy_condition.h"
#include "services/s3/buckets/bucket_name.h"
#include "services/s3/buckets/bucket_policy.h"
#include "services/s3/key_text.h"
#include "services/s3/buckets/subscriptions.h"
#include "wire/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  bool kept = true;
  try {
    services::s3::check_bucket_policy(text, "bucket");
  } catch (const wire::ApiError&) {
    kept = false;
  }
  const services::s3::BucketPolicy policy = services::s3::read_bucket_policy(text);
  CHECK(!kept || !policy.document.statements.empty()) << "a policy without statements was taken";
  for (const char* account : {"", "111111111111"}) {
    services::policy::evaluate(policy.document, {.principal_account = account,
                                                 .principal_service = "",
                                                 .principal_canonical = "",
                                                 .action = "s3:GetObject",
                                                 .resource = "arn:aws:s3:::bucket/k",
                                                 .context = {{"aws:SourceIp", "10.0.0.1"},
                                                             {"aws:CurrentTime", "2027-01-15T08:00:00Z"},
                                                             {"s3:max-keys", "10"},
                                                             {"aws:SecureTransport", "true"}}});
  }
  services::policy::in_network(text.substr(0, size / 2), text.substr(size / 2));
  services::s3::is_bucket_name(text);
  services::s3::url_encoded(services::s3::decoded_filter(text));
  return 0;
}
