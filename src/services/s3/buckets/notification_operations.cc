// SPDX-License-Identifier: Apache-2.0
// Which queues receive the events of a bucket's objects, and whether EventBridge does.
#include "services/s3/buckets/notification_operations.h"

#include <algorithm>
#include <set>

#include "base/bytes.h"
#include "base/random.h"
#include "base/utf8.h"
#include "services/arn.h"
#include "services/invoke.h"
#include "services/s3/buckets/setting_column.h"
#include "services/s3/buckets/subscriptions.h"
#include "services/s3/errors.h"
#include "services/s3/events.h"
#include "services/s3/operations.h"
#include "shapes/sqs/message.h"
#include "wire/json.h"
#include "wire/timestamp.h"

namespace services::s3 {
namespace {

constexpr std::size_t kMaxConfigurations = 100, kMaxId = 255, kMaxFilterBytes = 1024;

// The events that occur here.
constexpr std::string_view kEvents[] = {
    "s3:ObjectCreated:*", "s3:ObjectCreated:Put", "s3:ObjectCreated:Post", "s3:ObjectCreated:Copy",
    "s3:ObjectCreated:CompleteMultipartUpload", "s3:ObjectRemoved:*", "s3:ObjectRemoved:Delete",
    "s3:ObjectRemoved:DeleteMarkerCreated", "s3:LifecycleExpiration:*", "s3:LifecycleExpiration:Delete",
    "s3:LifecycleExpiration:DeleteMarkerCreated", "s3:ObjectTagging:*", "s3:ObjectTagging:Put",
    "s3:ObjectTagging:Delete"};

template <class List>
bool is_in(const List& list, std::string_view text) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

bool covers(std::string_view wider, std::string_view event) {
  return wider == event || (wider.ends_with(":*") && event.starts_with(wider.substr(0, wider.size() - 1)));
}

bool share_an_event(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& one) {
    return std::any_of(b.begin(), b.end(),
                       [&](const std::string& other) { return covers(one, other) || covers(other, one); });
  });
}

wire::ApiError overlap() {
  return wire::ApiError("InvalidArgument",
                        "Configurations overlap. Configurations on the same bucket cannot share a common event type.");
}

void check_events(const std::vector<std::string>& events) {
  if (events.empty()) throw malformed_xml();
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!is_in(shapes::s3::kEventValues, events[i])) {
      throw invalid_argument("The event is not supported for notifications", "Event", events[i]);
    }
    if (!is_in(kEvents, events[i])) throw not_implemented("The event " + events[i] + ", which never happens here,");
    for (std::size_t j = 0; j < i; ++j) {
      if (share_an_event({events[i]}, {events[j]})) throw overlap();
    }
  }
}

// Also writes the names as Amazon shows them.
void check_filter(shape::NotificationConfigurationFilter& filter) {
  if (!filter.Key || !filter.Key->FilterRules) return;
  std::set<std::string> seen;
  for (shape::FilterRule& rule : *filter.Key->FilterRules) {
    const std::string name = base::to_lower(rule.Name.value_or(""));
    if (name != "prefix" && name != "suffix") {
      throw invalid_argument("filter rule name must be either prefix or suffix", "FilterRule.Name",
                             rule.Name.value_or(""));
    }
    if (!seen.insert(name).second) {
      throw invalid_argument("Cannot specify more than one " + name + " rule in a filter.", "FilterRule.Name", *rule.Name);
    }
    if (rule.Value.value_or("").size() > kMaxFilterBytes) {
      throw invalid_argument("Size of filter rule value cannot exceed 1024 bytes in UTF-8 representation",
                             "FilterRule.Value", *rule.Value);
    }
    rule.Name = name == "prefix" ? "Prefix" : "Suffix";
  }
}

void check_queue_arn(const std::string& text, const Bucket& bucket) {
  const auto arn = parse_arn(text, "sqs");
  if (!arn || arn->resource.empty()) throw invalid_argument("The ARN could not be parsed", "Queue", text);
  if (arn->resource.ends_with(".fifo")) throw invalid_argument("FIFO SQS queues are not supported.", "Queue", text);
  if (arn->region != bucket.region) {
    throw invalid_argument(
        "The notification destination service region is not valid for the bucket location constraint", "Queue", text);
  }
}

// No event of any key may match two configurations.
void check_overlaps(const std::vector<shape::QueueConfiguration>& queues) {
  const std::string text = to_json(shape::NotificationConfiguration{.QueueConfigurations = queues});
  const std::vector<Subscription> all = read_subscriptions(text).queues;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Subscription &a = all[i], &b = all[j];
      const bool prefixes = a.prefix.starts_with(b.prefix) || b.prefix.starts_with(a.prefix);
      const bool suffixes = a.suffix.ends_with(b.suffix) || b.suffix.ends_with(a.suffix);
      if (!prefixes || !suffixes || !share_an_event(a.events, b.events)) continue;
      if (!queues[i].Filter && !queues[j].Filter) throw overlap();
      throw wire::ApiError("InvalidArgument",
                           "Configuration is ambiguously defined. Cannot have overlapping suffixes in two rules if the "
                           "prefixes are overlapping for the same event type.");
    }
  }
}

// The configurations to store: checked, each with an id.
std::vector<shape::QueueConfiguration> checked(const shape::NotificationConfiguration& requested, const Bucket& bucket) {
  if (requested.TopicConfigurations) throw not_implemented("A notification to an SNS topic");
  if (requested.LambdaFunctionConfigurations) throw not_implemented("A notification to a Lambda function");
  auto queues = requested.QueueConfigurations.value_or(std::vector<shape::QueueConfiguration>());
  if (queues.size() > kMaxConfigurations) {
    throw invalid_request("Too many configurations submitted. The maximum number of configurations is 100");
  }
  std::set<std::string> ids;
  for (shape::QueueConfiguration& queue : queues) {
    if (base::count_characters(queue.Id.value_or("")) > kMaxId) {
      throw invalid_argument("ID length exceeded allowed limit of 255", "Id", *queue.Id);
    }
    if (queue.Id.value_or("").empty()) queue.Id = base::to_base64(base::random_uuid());
    if (!ids.insert(*queue.Id).second) {
      throw invalid_argument("Same ID used for multiple configurations. IDs must be unique.", "Id", *queue.Id);
    }
    check_queue_arn(queue.QueueArn, bucket);
    check_events(queue.Events);
    if (queue.Filter) check_filter(*queue.Filter);
  }
  check_overlaps(queues);
  return queues;
}

std::string test_event(const Call& call, const Bucket& bucket) {
  std::string out = R"({"Service":"Amazon S3","Event":"s3:TestEvent","Time":")" + wire::to_iso8601(call.now, true) +
                    R"(","Bucket":)";
  wire::write_json_string(bucket.name, out);
  out += ",\"RequestId\":";
  wire::write_json_string(call.caller.request_id, out);
  out += ",\"HostId\":";
  wire::write_json_string(host_id(call.caller.request_id), out);
  return out + "}";
}

// Why S3 can't send this bucket's events to the queue; "" where it can.
std::string destination_problem(Call& call, const Bucket& bucket, const std::string& queue_arn) {
  try {
    const shapes::sqs::SendMessageRequest request{.QueueUrl = queue_arn};
    invoke(call, event_sender(call, bucket), "sqs", "CheckSendMessage", request);
    return "";
  } catch (const wire::ApiError& error) {
    if (error.code() == "QueueDoesNotExist") return "The destination queue does not exist";
    return "Permissions on the destination queue do not allow S3 to publish notifications from this bucket";
  }
}

// Throws an error that names all queues which are missing or deny this bucket.
void check_destinations(Call& call, const Bucket& bucket, const std::set<std::string>& queues) {
  std::vector<std::pair<std::string, std::string>> wrong;
  for (const std::string& queue : queues) {
    std::string problem = destination_problem(call, bucket, queue);
    if (!problem.empty()) wrong.emplace_back(queue, std::move(problem));
  }
  if (wrong.empty()) return;
  wire::ApiError error("InvalidArgument", "Unable to validate the following destination configurations");
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    error.with("ArgumentName" + number, wrong[i].first).with("ArgumentValue" + number, wrong[i].second);
  }
  throw error;
}

}  // namespace

void put_bucket_notification_configuration(Call& call,
                                           const shape::PutBucketNotificationConfigurationRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:PutBucketNotification"}, request.ExpectedBucketOwner);
  const auto queues = checked(request.NotificationConfiguration, bucket);
  std::set<std::string> arns;
  for (const shape::QueueConfiguration& queue : queues) arns.insert(queue.QueueArn);
  if (!request.SkipDestinationValidation.value_or(false)) {
    check_destinations(call, bucket, arns);
    if (call.local<TestEvents>().enabled) {
      for (const std::string& queue : arns) send_event(call, bucket, queue, test_event(call, bucket));
    }
  }
  std::optional<std::string> text;
  shape::NotificationConfiguration configuration;
  if (!queues.empty()) configuration.QueueConfigurations = queues;
  configuration.EventBridgeConfiguration = request.NotificationConfiguration.EventBridgeConfiguration;
  if (configuration != shape::NotificationConfiguration()) text = to_json(configuration);
  write_setting(call.tx, bucket, "notification", text);
}

shape::NotificationConfiguration get_bucket_notification_configuration(
    Call& call, const shape::GetBucketNotificationConfigurationRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:GetBucketNotification"}, request.ExpectedBucketOwner);
  if (!bucket.notification) return {};
  return from_json<shape::NotificationConfiguration>(*bucket.notification);
}

std::vector<ObjectOperation> notification_operations() {
  return {
      operation<&put_bucket_notification_configuration>("PutBucketNotificationConfiguration", Access::Write,
                                                        shape::kPutBucketNotificationConfigurationHttp),
      operation<&get_bucket_notification_configuration>("GetBucketNotificationConfiguration", Access::Read,
                                                        shape::kGetBucketNotificationConfigurationHttp),
  };
}

}  // namespace services::s3
