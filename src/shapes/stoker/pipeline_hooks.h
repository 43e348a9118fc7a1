// SPDX-License-Identifier: Apache-2.0
// Messages between pipelines and the services they are made of: the inputs of internal operations. Spoken between
// services only, in the transaction of what they announce.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <string>

#include "base/time.h"
#include "wire/traits.h"

namespace shapes::stoker {

// ObjectCreated of pipelines: an object was written to a bucket that has notifications. Sent once for each object,
// after the bucket's events.
struct ObjectCreated {
  std::string bucket;
  std::string key;
  std::int64_t size = 0;
  std::string contentType;
  std::string sequencer;   // as in the event
  std::string queueArn;    // the queue that got the event, and the message there; "" where no notification matched
  std::string messageId;
};
BOOST_DESCRIBE_STRUCT(ObjectCreated, (), (bucket, key, size, contentType, sequencer, queueArn, messageId))

// MessageDeadLettered of pipelines: SQS has moved a message to a dead-letter queue.
struct MessageDeadLettered {
  std::string queueArn;  // the queue it came from
  std::string messageId;
  std::int64_t receives = 0;
};
BOOST_DESCRIBE_STRUCT(MessageDeadLettered, (), (queueArn, messageId, receives))

// RemoveMessage of SQS: deletes a message by its id, whether someone holds it or not. Does nothing where it is gone.
struct RemoveMessage {
  std::string queueArn;
  std::string messageId;
};
BOOST_DESCRIBE_STRUCT(RemoveMessage, (), (queueArn, messageId))

// PrioritizeMessage of SQS: a message that was not received yet is delivered before those of a lower priority.
struct PrioritizeMessage {
  std::string queueArn;
  std::string messageId;
  int priority = 0;  // 0 to 9: 0 is the order of arrival
};
BOOST_DESCRIBE_STRUCT(PrioritizeMessage, (), (queueArn, messageId, priority))

// RemoveJobs of pipelines: a pipeline is deleted, and its jobs, keys and deliveries with it. Invoked by the part
// that deletes it, in the same transaction.
struct RemoveJobs {
  std::int64_t pipeline = 0;  // its number
};
BOOST_DESCRIBE_STRUCT(RemoveJobs, (), (pipeline))

}  // namespace shapes::stoker
