// SPDX-License-Identifier: Apache-2.0
// What happened to objects, told to queues: in the transaction in which it happened.
#pragma once

#include <string>
#include <string_view>

#include "services/s3/objects/object_row.h"

namespace services::s3 {

// `name`: as Amazon's without "s3:", "ObjectCreated:Put". For a deletion `object` is what was
// taken away, or the marker that was made. Sends to every queue that the bucket's configuration
// names for it and whose policy lets us; one that is gone or closed is logged and left out.
void tell(Call& call, const Bucket& bucket, std::string_view name, const Object& object);

// The principal that sends a bucket's events.
Caller event_sender(const Call& call, const Bucket& bucket);
// Sends one message of a bucket's. A queue that is missing or rejects it is logged, now and then.
void send_event(Call& call, const Bucket& bucket, const std::string& queue_arn, const std::string& body);
// The x-amz-id-2 of the answer to this request.
std::string host_id(std::string_view request_id);

}  // namespace services::s3
