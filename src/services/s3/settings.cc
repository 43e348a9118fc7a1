// SPDX-License-Identifier: Apache-2.0
#include "services/s3/settings.h"

#include "services/s3/bucket_policy.h"
#include "services/s3/lifecycle.h"
#include "services/s3/subscriptions.h"

namespace services::s3 {

void add_locals(Locals& locals, Settings settings) {
  locals.add<Settings>(settings);
  locals.add<BucketPolicyCache>();
  locals.add<LifecycleCache>();
  locals.add<SubscriptionCache>();
  locals.add<Complaints>();
}

}  // namespace services::s3
