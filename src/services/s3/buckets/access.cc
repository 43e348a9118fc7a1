// SPDX-License-Identifier: Apache-2.0
// Who may do what with a bucket: its owner everything that its policy does not deny, everybody
// else what its policy allows.
#include "services/policy.h"
#include "services/s3/buckets/bucket_policy.h"
#include "services/s3/buckets/bucket_row.h"
#include "services/shape_json.h"
#include "shapes/s3/bucket_access.h"

namespace services::s3 {
namespace {

// A policy that is open to the world then counts for nobody outside the bucket's account, whoever
// else it names.
bool restricts_public(const Bucket& bucket) {
  if (!bucket.access_block) return false;
  return from_json<shapes::s3::PublicAccessBlockConfiguration>(*bucket.access_block).RestrictPublicBuckets.value_or(false);
}

policy::Request policy_request(const Call& call, const Bucket& bucket, const Ask& ask) {
  const Caller& caller = call.caller;
  policy::Request request{.principal_account = caller.account,
                          .principal_canonical = caller.anonymous() ? "" : canonical_id(caller.account),
                          .action = std::string(ask.action),
                          .resource = ask.key.empty() ? bucket.arn() : bucket.arn() + "/" + std::string(ask.key),
                          .context = policy::context_of(caller, call.now)};
  request.context.insert(ask.context.begin(), ask.context.end());
  request.context["aws:ResourceAccount"] = bucket.account;
  request.context["s3:ResourceAccount"] = bucket.account;
  request.context["aws:RequestedRegion"] = bucket.region;
  return request;
}

}  // namespace

bool allowed(const Call& call, const Bucket& bucket, const Ask& ask) {
  const bool own = !call.caller.anonymous() && call.caller.account == bucket.account;
  if (ask.owners_only || !bucket.policy) return own;
  const auto policy = call.local<BucketPolicyCache>().get(bucket.id, *bucket.policy, &read_bucket_policy);
  if (!own && policy->is_public && restricts_public(bucket)) return false;
  const policy::Verdict verdict = policy::evaluate(policy->document, policy_request(call, bucket, ask));
  return verdict == policy::Verdict::Allowed || (own && verdict == policy::Verdict::NoMatch);
}

}  // namespace services::s3
