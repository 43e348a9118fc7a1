// SPDX-License-Identifier: Apache-2.0
#include "services/s3/events.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/random.h"
#include "services/directory.h"
#include "services/invoke.h"
#include "services/s3/buckets/subscriptions.h"
#include "services/s3/bus_events.h"
#include "services/s3/key_text.h"
#include "shapes/sqs/message.h"
#include "shapes/stoker/pipeline_hooks.h"
#include "wire/json.h"
#include "wire/timestamp.h"

namespace services::s3 {
namespace {

using shapes::stoker::SentEvent;

// Of a result: the sequencer of its input.
constexpr char kSequencerMetadata[] = "stoker-sequencer";
constexpr std::string_view kIdLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

std::string quoted(std::string_view text) {
  std::string out;
  wire::write_json_string(text, out);
  return out;
}

// Amazon's id of a customer, as "A3NL1KOZZKExample", which is not the account's number.
std::string customer_id(const std::string& account) {
  std::string id = "A";
  for (unsigned char c : base::sha256("customer " + account).substr(0, 13)) id += kIdLetters[c % kIdLetters.size()];
  return id;
}

bool is_created(std::string_view name) { return name.starts_with("ObjectCreated:"); }
bool is_tagging(std::string_view name) { return name.starts_with("ObjectTagging:"); }
bool is_lifecycle(std::string_view name) { return name.starts_with("LifecycleExpiration:"); }

// Which members "object" has depends on the event, as Amazon's examples show.
std::string object_json(Call& call, const Bucket& bucket, std::string_view name, const Object& object) {
  std::string out = "{\"key\":" + quoted(url_encoded(object.key));
  if (is_created(name)) out += ",\"size\":" + std::to_string(object.size);
  if (is_created(name) || is_tagging(name)) out += ",\"eTag\":" + quoted(object.etag);
  if (name.ends_with(":DeleteMarkerCreated")) out += ",\"eTag\":" + quoted(kNothingsEtag);
  if (bucket.versioned()) out += ",\"versionId\":" + quoted(object.version());
  if (!is_tagging(name)) out += ",\"sequencer\":" + quoted(event_sequencer(call, object, name.ends_with(":Delete")));
  return out + "}";
}

// The body without the configuration's id, in Amazon's order of members. Version 2.3 for events of lifecycles and
// tags, 2.1 for all others.
struct EventText {
  std::string before_id, after_id;
};

EventText body_of(Call& call, const Bucket& bucket, std::string_view name, const Object& object) {
  const Caller& caller = call.caller;
  const std::string request_id = event_request_id(call);
  const std::string who = is_lifecycle(name) ? "s3.amazonaws.com"
                          : caller.anonymous() ? "Anonymous"
                                               : "AWS:" + caller.account;
  const std::string address = is_lifecycle(name) ? "s3.amazonaws.com" : caller.address;
  EventText body;
  body.before_id = fmt::format(
      R"({{"Records":[{{"eventVersion":"{}","eventSource":"aws:s3","awsRegion":{},"eventTime":"{}","eventName":"{}",)"
      R"("userIdentity":{{"principalId":{}}},"requestParameters":{{"sourceIPAddress":{}}},)"
      R"("responseElements":{{"x-amz-request-id":{},"x-amz-id-2":{}}},)"
      R"("s3":{{"s3SchemaVersion":"1.0","configurationId":)",
      is_tagging(name) || is_lifecycle(name) ? "2.3" : "2.1", quoted(bucket.region), wire::to_iso8601(call.now, true),
      name, quoted(who), quoted(address), quoted(request_id), quoted(host_id(request_id)));
  body.after_id = fmt::format(R"(,"bucket":{{"name":{},"ownerIdentity":{{"principalId":{}}},"arn":{}}},"object":{}}}}}]}})",
                              quoted(bucket.name), quoted(customer_id(bucket.account)), quoted(bucket.arn()),
                              object_json(call, bucket, name, object));
  return body;
}

// Small objects are rows; the bytes of others are at hand only while they are written.
std::string content_of(Call& call, const Object& object, const Upload* upload) {
  if (object.size > shapes::stoker::kMaxAnnouncedBytes) return "";
  if (upload) return upload->file.empty() ? upload->bytes : upload->kept;
  if (!object.blob || object.size > static_cast<std::int64_t>(kInlineBytes)) return "";
  return read_blob(call.tx, *object.blob).bytes;
}

// An input of a pipeline, or a result.
void announce_to_pipelines(Call& call, const Bucket& bucket, const Object& object, std::vector<SentEvent> sent,
                           const Upload* upload) {
  if (!call.directory || !call.directory->find("pipelines", "ObjectCreated")) return;
  shapes::stoker::ObjectCreated created;
  created.bucket = bucket.name;
  created.key = object.key;
  created.size = object.size;
  created.contentType = object.headers.ContentType.value_or("");
  created.sequencer = event_sequencer(call, object, false);
  created.events = std::move(sent);
  if (created.events.empty()) created.content = content_of(call, object, upload);
  if (const auto& metadata = object.headers.Metadata) {
    const auto found = metadata->find(kSequencerMetadata);
    if (found != metadata->end()) created.inputSequencer = found->second;
  }
  invoke(call, event_sender(call, bucket), "pipelines", "ObjectCreated", created);
}

shapes::stoker::AnnouncedObject announce_object(Call& call, const shapes::stoker::AnnounceObject& request) {
  const auto bucket = load_bucket(call.tx, request.bucket);
  if (!bucket || bucket->account != call.caller.account) return {};
  const auto object = load_latest(call.tx, *bucket, request.key);
  if (!object || object->marker || event_sequencer(call, *object, false) != request.sequencer) return {};
  publish_event(call, *bucket, "ObjectCreated:Put", *object);
  return {.exists = true};
}

}  // namespace

// A deletion has no row: its sequencer lies between that of the last version and the next.
std::string event_sequencer(Call& call, const Object& object, bool deleted) {
  const std::int64_t id = deleted ? std::max(object.id, next_object_id(call.tx, call.now) - 1) : object.id;
  return fmt::format("{:016X}{:02X}", id, deleted ? 1 : 0);
}

std::string event_request_id(const Call& call) {
  return call.caller.request_id.empty() ? base::random_text(16, kIdLetters) : call.caller.request_id;
}

std::string host_id(std::string_view request_id) { return base::to_base64(base::sha256(request_id)); }

Caller event_sender(const Call& call, const Bucket& bucket) {
  return as_service(call, "s3.amazonaws.com", bucket.arn(), bucket.account);
}

std::optional<std::string> send_event(Call& call, const Bucket& bucket, const std::string& queue_arn,
                                      const std::string& body) {
  try {
    const shapes::sqs::SendMessageRequest request{.QueueUrl = queue_arn, .MessageBody = body};
    auto sent = invoke<shapes::sqs::SendMessageResult>(call, event_sender(call, bucket), "sqs", "SendMessage", request);
    return std::move(sent.MessageId).value_or("");
  } catch (const wire::ApiError& error) {
    // The object was written: a queue that rejects the event does not undo that.
    if (!call.local<DeliveryWarnings>().due(queue_arn, call.now)) return std::nullopt;
    base::log_warn("event not delivered", {{"request", call.caller.request_id},
                                           {"bucket", bucket.name},
                                           {"queue", queue_arn},
                                           {"why", error.message()}});
  }
  return std::nullopt;
}

void publish_event(Call& call, const Bucket& bucket, std::string_view name, const Object& object,
                   const Upload* upload) {
  if (!bucket.notification) return;
  const std::shared_ptr<const Subscriptions> subscriptions =
      call.local<SubscriptionCache>().get(bucket.id, *bucket.notification, &read_subscriptions);
  std::optional<EventText> body;
  std::vector<SentEvent> sent;
  for (const Subscription& subscription : subscriptions->queues) {
    if (!subscription.wants(name, object.key)) continue;
    if (!body) body = body_of(call, bucket, name, object);
    auto id = send_event(call, bucket, subscription.queue_arn,
                         body->before_id + quoted(subscription.id) + body->after_id);
    if (id) sent.push_back({subscription.queue_arn, std::move(*id)});
  }
  if (subscriptions->event_bridge) publish_bus_event(call, bucket, name, object);
  if (is_created(name)) announce_to_pipelines(call, bucket, object, std::move(sent), upload);
}

std::vector<Operation> announce_operations() {
  return {operation<&announce_object>("AnnounceObject", Access::Write)};
}

}  // namespace services::s3
