// SPDX-License-Identifier: Apache-2.0
// Who may do what with a bucket: its owner everything that its policy does not deny, everybody
// else what its policy allows.
#include "services/policy.h"
#include "services/s3/bucket.h"

namespace services::s3 {

bool allowed(const Call& call, const Bucket& bucket, const Ask& ask) {
  const Caller& caller = call.caller;
  const bool own = !caller.anonymous() && caller.account == bucket.account;
  if (ask.owners_only || !bucket.policy) return own;
  policy::Question question{.principal_account = caller.account,
                            .action = std::string(ask.action),
                            .resource = ask.key.empty() ? bucket.arn() : bucket.arn() + "/" + std::string(ask.key),
                            .context = ask.context};
  const policy::Answer answer = policy::evaluate(*bucket.policy, question);
  return answer == policy::Answer::Allowed || (own && answer == policy::Answer::NoMatch);
}

}  // namespace services::s3
