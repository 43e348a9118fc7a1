// SPDX-License-Identifier: Apache-2.0
#include "worker/event.h"

#include <algorithm>
#include <boost/describe/class.hpp>
#include <optional>

#include "base/bytes.h"
#include "wire/error.h"
#include "wire/json.h"
#include "wire/type_of.h"

namespace worker {
namespace {

struct EventBucket {
  std::optional<std::string> name;
};
BOOST_DESCRIBE_STRUCT(EventBucket, (), (name))

struct EventObject {
  std::optional<std::string> key, sequencer;
};
BOOST_DESCRIBE_STRUCT(EventObject, (), (key, sequencer))

struct EventEntity {
  std::optional<EventBucket> bucket;
  std::optional<EventObject> object;
};
BOOST_DESCRIBE_STRUCT(EventEntity, (), (bucket, object))

struct EventRecord {
  std::optional<std::string> eventSource, eventName;
  std::optional<EventEntity> s3;
};
BOOST_DESCRIBE_STRUCT(EventRecord, (), (eventSource, eventName, s3))

struct EventBody {
  std::optional<std::vector<EventRecord>> Records;
  std::optional<std::string> Event;          // of a test event
  std::optional<std::string> Type, Message;  // of SNS's envelope
};
BOOST_DESCRIBE_STRUCT(EventBody, (), (Records, Event, Type, Message))

constexpr char kNoEvent[] = "the message is not a notification of S3: ";

base::Result<EventBody> read_event(std::string_view text) {
  EventBody body;
  if (text.empty()) return base::Error{std::string(kNoEvent) + "it is empty"};
  try {
    wire::read_json(wire::type_of<EventBody>(), text, &body);
  } catch (const wire::ApiError& error) {
    return base::Error{kNoEvent + error.message()};
  }
  return body;
}

base::Result<CreatedObject> object_of(const EventRecord& record) {
  const bool complete = record.s3 && record.s3->bucket && record.s3->bucket->name && record.s3->object &&
                        record.s3->object->key && !record.s3->object->key->empty();
  if (!complete) return base::Error{std::string(kNoEvent) + "a record has no bucket or no key"};
  // Keys in events are encoded as in forms.
  const auto key = base::percent_decode(*record.s3->object->key, true);
  if (!key) return base::Error{kNoEvent + ("invalid key '" + *record.s3->object->key + "'")};
  return CreatedObject{*record.s3->bucket->name, *key, record.s3->object->sequencer.value_or("")};
}

}  // namespace

base::Result<std::vector<CreatedObject>> parse_event(std::string_view text) {
  base::Result<EventBody> body = read_event(text);
  if (body && body->Type == "Notification" && body->Message) body = read_event(std::string(*body->Message));
  if (!body) return base::Error{body.error()};
  std::vector<CreatedObject> objects;
  if (!body->Records && body->Event == "s3:TestEvent") return objects;
  if (!body->Records) return base::Error{std::string(kNoEvent) + "it has no Records"};
  for (const EventRecord& record : *body->Records) {
    if (record.eventSource.value_or("aws:s3") != "aws:s3") {
      return base::Error{kNoEvent + ("its source is " + *record.eventSource)};
    }
    const std::string_view name = record.eventName ? std::string_view(*record.eventName) : "";
    if (!name.starts_with("ObjectCreated:") && !name.starts_with("s3:ObjectCreated:")) continue;
    base::Result<CreatedObject> object = object_of(record);
    if (!object) return base::Error{object.error()};
    objects.push_back(std::move(*object));
  }
  return objects;
}

bool is_older(std::string_view a, std::string_view b) {
  const std::size_t length = std::max(a.size(), b.size());
  std::string left = base::to_lower(a), right = base::to_lower(b);
  left.resize(length, '0');
  right.resize(length, '0');
  return left < right;
}

}  // namespace worker
