// SPDX-License-Identifier: Apache-2.0
// Operations on a bucket's notification configuration.
#pragma once

#include "services/call.h"
#include "services/s3/shape.h"
#include "shapes/s3/notification.h"

namespace services::s3 {

// In memory: whether a new configuration sends Amazon's s3:TestEvent to each of its queues.
struct TestEvents {
  bool enabled = true;
};

void put_bucket_notification_configuration(Call& call,
                                           const shape::PutBucketNotificationConfigurationRequest& request);
shape::NotificationConfiguration get_bucket_notification_configuration(
    Call& call, const shape::GetBucketNotificationConfigurationRequest& request);

}  // namespace services::s3
