// SPDX-License-Identifier: Apache-2.0
// Events of a bucket's objects for EventBridge.
#pragma once

#include <string_view>

#include "services/s3/objects/object_row.h"

namespace services::s3 {

// `name`: as in publish_event(). Puts the event on the bus of the bucket's account, where a rule could match it.
void publish_bus_event(Call& call, const Bucket& bucket, std::string_view name, const Object& object);

}  // namespace services::s3
