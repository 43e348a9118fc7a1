// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/policies/notifications.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "services/arn.h"
#include "services/autoscaling/groups/group_events.h"
#include "services/autoscaling/policies/notification_row.h"
#include "services/invoke.h"
#include "shapes/sqs/message.h"
#include "wire/error.h"
#include "wire/timestamp.h"

namespace services::autoscaling {
namespace {

namespace json = boost::json;

constexpr char kNotificationService[] = "AWS Auto Scaling";

// An activity's details are text in answers and an object in notifications.
json::value details_of(const Activity& activity) {
  boost::system::error_code error;
  json::value details = json::parse(activity.details_json, error);
  return error ? json::value(json::object()) : details;
}

}  // namespace

std::string activity_message(const Group& group, const Activity& activity, std::string_view event, base::Time now) {
  const bool launch = event.find("_LAUNCH") != event.npos;
  const bool failed = event.ends_with("_ERROR");
  json::object message;
  // Amazon sends a success before the activity is Successful.
  message["Progress"] = failed ? 100 : 50;
  message["AccountId"] = group.account;
  message["Description"] = activity.description;
  message["RequestId"] = activity.id;
  message["EndTime"] = wire::to_iso8601(activity.ended_at.value_or(now), true);
  message["AutoScalingGroupARN"] = group.arn();
  message["ActivityId"] = activity.id;
  message["StartTime"] = wire::to_iso8601(activity.started_at, true);
  message["Service"] = kNotificationService;
  message["Time"] = wire::to_iso8601(now, true);
  message["EC2InstanceId"] = activity.instance;
  message["StatusCode"] = failed ? activity.status : "InProgress";
  message["StatusMessage"] = activity.status_message;
  message["Details"] = details_of(activity);
  message["AutoScalingGroupName"] = group.name;
  message["Cause"] = activity.cause;
  message["Event"] = event;
  message["Origin"] = launch ? "EC2" : "AutoScalingGroup";
  message["Destination"] = launch ? "AutoScalingGroup" : "EC2";
  return json::serialize(message);
}

std::string test_message(const Call& call, const Group& group) {
  json::object message;
  message["Service"] = kNotificationService;
  message["Time"] = wire::to_iso8601(call.now, true);
  message["RequestId"] = call.caller.request_id;
  message["Event"] = kTestNotification;
  message["AccountId"] = group.account;
  message["AutoScalingGroupName"] = group.name;
  message["AutoScalingGroupARN"] = group.arn();
  return json::serialize(message);
}

// A queue of the group's account gets it from the account itself, as a topic's default policy admits its owner at
// Amazon. The policy of another account's queue has to admit the service.
void send_to_queue(Call& call, const Group& group, const std::string& queue, const std::string& body) {
  Caller principal = group_principal(call, group);
  shapes::sqs::SendMessageRequest message{.QueueUrl = queue, .MessageBody = body};
  const auto arn = parse_arn(queue);
  if (arn && arn->account == group.account) {
    principal.service.clear();
    principal.source_arn.clear();
    principal.region = arn->region;
    message.QueueUrl = "/" + std::string(arn->account) + "/" + std::string(arn->resource);
  }
  invoke<shapes::sqs::SendMessageResult>(call, principal, "sqs", "SendMessage", message);
}

void notify(Call& call, const Group& group, const Activity& activity, std::string_view event) {
  std::string body;
  for (const NotificationRow& row : list_notifications(call.tx, group.number)) {
    if (row.type != event) continue;
    if (body.empty()) body = activity_message(group, activity, event, call.now);
    try {
      send_to_queue(call, group, row.topic, body);
    } catch (const wire::ApiError&) {
      continue;  // Amazon drops notifications to topics that are gone, too
    }
  }
}

}  // namespace services::autoscaling
