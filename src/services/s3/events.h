// SPDX-License-Identifier: Apache-2.0
// Events of objects, which are sent to queues in the transaction that causes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/operation.h"
#include "services/s3/objects/object_row.h"

namespace services::s3 {

// What Amazon shows as the ETag of a delete marker: the MD5 of no bytes.
inline constexpr char kNothingsEtag[] = "d41d8cd98f00b204e9800998ecf8427e";

// `name`: as Amazon's without "s3:", "ObjectCreated:Put". For a deletion `object` is the deleted version, or the new
// delete marker. Sends to each queue that the bucket's notification configuration names; a queue that is missing or
// denies it is logged and skipped. EventBridge gets it, too, where the configuration enables that. `upload`: the bytes of a new object, where they are at hand.
void publish_event(Call& call, const Bucket& bucket, std::string_view name, const Object& object,
                   const Upload* upload = nullptr);

// The principal that sends a bucket's events.
Caller event_sender(const Call& call, const Bucket& bucket);
// Sends one message of a bucket's and returns its id. A queue that is missing or rejects it is logged, now and then.
std::optional<std::string> send_event(Call& call, const Bucket& bucket, const std::string& queue_arn, const std::string& body);
// Grows with each event of a key.
std::string event_sequencer(Call& call, const Object& object, bool deleted);
// Of the request; random for events without one, which are a lifecycle's.
std::string event_request_id(const Call& call);
// The x-amz-id-2 of the response to this request.
std::string host_id(std::string_view request_id);

// AnnounceObject: for other services.
std::vector<Operation> announce_operations();

}  // namespace services::s3
