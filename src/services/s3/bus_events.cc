// SPDX-License-Identifier: Apache-2.0
#include "services/s3/bus_events.h"

#include <fmt/format.h>

#include "services/directory.h"
#include "services/invoke.h"
#include "services/s3/events.h"
#include "shapes/events/event.h"
#include "shapes/events/rule.h"
#include "wire/json.h"

namespace services::s3 {
namespace {

using shapes::events::ListRulesRequest;
using shapes::events::ListRulesResponse;
using shapes::events::PutEventsRequest;
using shapes::events::PutEventsResponse;

constexpr std::string_view kOneRule = "ListOneEnabledRule";

// How EventBridge's events name what a queue's events call "ObjectCreated:Put".
struct Names {
  std::string_view queue_name, detail_type, reason, deletion_type;
};
constexpr Names kNames[] = {
    {"ObjectCreated:Put", "Object Created", "PutObject", ""},
    {"ObjectCreated:Post", "Object Created", "POST Object", ""},
    {"ObjectCreated:Copy", "Object Created", "CopyObject", ""},
    {"ObjectCreated:CompleteMultipartUpload", "Object Created", "CompleteMultipartUpload", ""},
    {"ObjectRemoved:Delete", "Object Deleted", "DeleteObject", "Permanently Deleted"},
    {"ObjectRemoved:DeleteMarkerCreated", "Object Deleted", "DeleteObject", "Delete Marker Created"},
    {"LifecycleExpiration:Delete", "Object Deleted", "Lifecycle Expiration", "Permanently Deleted"},
    {"LifecycleExpiration:DeleteMarkerCreated", "Object Deleted", "Lifecycle Expiration", "Delete Marker Created"},
    {"ObjectTagging:Put", "Object Tags Added", "", ""},
    {"ObjectTagging:Delete", "Object Tags Deleted", "", ""},
};

const Names& names_of(std::string_view name) {
  for (const Names& names : kNames) {
    if (names.queue_name == name) return names;
  }
  CHECK(false) << "an event without a name for EventBridge: " << name;
  return kNames[0];
}

// Appends `,"name":"value"`.
void add(std::string& json, std::string_view name, std::string_view value) {
  json += fmt::format(",\"{}\":", name);
  wire::write_json_string(value, json);
}

std::string object_json(const Names& names, const Bucket& bucket, const Object& object, const std::string& sequencer) {
  std::string out = "{\"key\":";
  wire::write_json_string(object.key, out);
  const bool created = names.detail_type == "Object Created", tags = names.reason.empty();
  if (created) out += fmt::format(",\"size\":{}", object.size);
  if (object.marker) add(out, "etag", kNothingsEtag);
  if (!object.etag.empty() && (created || tags)) add(out, "etag", object.etag);
  if (bucket.versioned()) add(out, "version-id", object.version());
  if (!tags) add(out, "sequencer", sequencer);
  return out + "}";
}

std::string detail_of(Call& call, const Names& names, const Bucket& bucket, const Object& object) {
  const bool permanent = names.deletion_type == "Permanently Deleted";
  std::string out = "{\"version\":\"0\",\"bucket\":{\"name\":";
  wire::write_json_string(bucket.name, out);
  out += "},\"object\":" + object_json(names, bucket, object, event_sequencer(call, object, permanent));
  const bool lifecycle = names.reason == "Lifecycle Expiration";
  add(out, "request-id", event_request_id(call));
  add(out, "requester", lifecycle ? "s3.amazonaws.com" : call.caller.anonymous() ? "Anonymous" : call.caller.account);
  if (!lifecycle) add(out, "source-ip-address", call.caller.address);
  if (!names.reason.empty()) add(out, "reason", names.reason);
  if (!names.deletion_type.empty()) add(out, "deletion-type", names.deletion_type);
  return out + "}";
}

}  // namespace

void publish_bus_event(Call& call, const Bucket& bucket, std::string_view name, const Object& object) {
  // A test of S3 alone has no EventBridge.
  if (!call.directory || !call.directory->find("events", kOneRule)) return;
  Caller sender = event_sender(call, bucket);
  sender.region = bucket.region;
  if (invoke<ListRulesResponse>(call, sender, "events", kOneRule, ListRulesRequest()).Rules->empty()) return;
  const Names& names = names_of(name);
  PutEventsRequest request;
  request.Entries.resize(1);
  request.Entries[0].Source = "aws.s3";
  request.Entries[0].DetailType = std::string(names.detail_type);
  request.Entries[0].Resources = {bucket.arn()};
  request.Entries[0].Detail = detail_of(call, names, bucket, object);
  invoke<PutEventsResponse>(call, sender, "events", "PutEvents", request);
}

}  // namespace services::s3
