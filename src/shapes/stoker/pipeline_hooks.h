// SPDX-License-Identifier: Apache-2.0
// Messages between pipelines and the services they are made of: the inputs of internal operations. Spoken between
// services only, in the transaction of what they announce.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "wire/traits.h"

namespace shapes::stoker {

// A message that a bucket's notification sent.
struct SentEvent {
  std::string queueArn;
  std::string messageId;
};
BOOST_DESCRIBE_STRUCT(SentEvent, (), (queueArn, messageId))

// ObjectCreated of pipelines: an object was written to a bucket that has notifications. Sent once for each object,
// after the bucket's events.
struct ObjectCreated {
  std::string bucket;
  std::string key;
  std::int64_t size = 0;
  std::string contentType;
  std::string sequencer;          // as in the event
  std::vector<SentEvent> events;  // empty where no notification matched
  std::string inputSequencer;     // its metadata stoker-sequencer: the input that a result belongs to
  std::string content;            // the bytes, where no notification matched and there are at most kMaxAnnouncedBytes
};
BOOST_DESCRIBE_STRUCT(ObjectCreated, (), (bucket, key, size, contentType, sequencer, events, inputSequencer, content))
inline constexpr std::int64_t kMaxAnnouncedBytes = 256 * 1024;

// AnnounceObject of S3: publishes the creation of an object again, as its ObjectCreated:Put.
struct AnnounceObject {
  std::string bucket;
  std::string key;
  std::string sequencer;  // of the version that is meant
};
BOOST_DESCRIBE_STRUCT(AnnounceObject, (), (bucket, key, sequencer))
struct AnnouncedObject {
  bool exists = false;  // false: it was deleted or overwritten, and nothing was published
};
BOOST_DESCRIBE_STRUCT(AnnouncedObject, (), (exists))

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
  base::Time sentAt;  // in a dead-letter queue: when it was moved there
};
BOOST_DESCRIBE_STRUCT(RemoveMessage, (), (queueArn, messageId, sentAt))

// BuryMessage of SQS: moves a message to the dead-letter queue of its queue, whether someone holds it or not. Deletes it
// where its queue has none. Does nothing where it is gone. It is not announced.
struct BuryMessage {
  std::string queueArn;
  std::string messageId;
  base::Time sentAt;
};
BOOST_DESCRIBE_STRUCT(BuryMessage, (), (queueArn, messageId, sentAt))

// FindMissingMessages of SQS: which messages are no longer in their queue.
struct SentMessage {
  std::string messageId;
  base::Time sentAt;
};
BOOST_DESCRIBE_STRUCT(SentMessage, (), (messageId, sentAt))
struct FindMissingMessages {
  std::string queueArn;
  std::vector<SentMessage> messages;
};
BOOST_DESCRIBE_STRUCT(FindMissingMessages, (), (queueArn, messages))
struct MissingMessages {
  std::vector<std::string> messageIds;
};
BOOST_DESCRIBE_STRUCT(MissingMessages, (), (messageIds))

// PrioritizeMessage of SQS: a message that was not received yet is delivered before those of a lower priority.
struct PrioritizeMessage {
  std::string queueArn;
  std::string messageId;
  base::Time sentAt;
  std::int64_t priority = 0;  // 0 to 9: 0 is the order of arrival
};
BOOST_DESCRIBE_STRUCT(PrioritizeMessage, (), (queueArn, messageId, sentAt, priority))

// RemoveJobs of pipelines: a pipeline is deleted, and its jobs, keys and deliveries with it. Invoked by the part
// that deletes it, in the same transaction.
struct RemoveJobs {
  std::int64_t pipeline = 0;  // its number
};
BOOST_DESCRIBE_STRUCT(RemoveJobs, (), (pipeline))

}  // namespace shapes::stoker
