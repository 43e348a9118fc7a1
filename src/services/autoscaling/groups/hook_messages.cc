// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/groups/hook_messages.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/log.h"
#include "base/random.h"
#include "services/arn.h"
#include "services/autoscaling/errors.h"
#include "services/autoscaling/groups/group_events.h"
#include "services/autoscaling/groups/hooks.h"
#include "services/invoke.h"
#include "shapes/sqs/message.h"
#include "shapes/stoker/machine.h"
#include "wire/timestamp.h"

namespace services::autoscaling {
namespace {

namespace json = boost::json;

void send_to_target(Call& call, const Group& group, const LifecycleHook& hook, const json::object& body) {
  const std::string target = hook.NotificationTargetARN.value_or("");
  const auto arn = parse_arn(target, "sqs");
  if (!arn) return;
  Caller principal = group_principal(call, group);
  shapes::sqs::SendMessageRequest message{.QueueUrl = target, .MessageBody = json::serialize(body)};
  // A role acts for its account; without one, the queue's policy has to admit the service.
  if (hook.RoleARN) {
    principal.service.clear();
    principal.source_arn.clear();
    principal.region = arn->region;
    message.QueueUrl = "/" + std::string(arn->account) + "/" + std::string(arn->resource);
  }
  invoke<shapes::sqs::SendMessageResult>(call, principal, "sqs", "SendMessage", message);
}

json::object action_body(const Group& group, const LifecycleHook& hook, const HookMessage& message) {
  const bool launches = hook.LifecycleTransition == kLaunching;
  json::object body;
  body["LifecycleActionToken"] = message.token;
  body["AutoScalingGroupName"] = group.name;
  body["LifecycleHookName"] = *hook.LifecycleHookName;
  body["EC2InstanceId"] = message.instance;
  body["LifecycleTransition"] = *hook.LifecycleTransition;
  if (hook.NotificationMetadata) body["NotificationMetadata"] = *hook.NotificationMetadata;
  body["Origin"] = launches ? "EC2" : "AutoScalingGroup";
  body["Destination"] = launches ? "AutoScalingGroup" : "EC2";
  return body;
}

void notify_target(Call& call, const Group& group, const LifecycleHook& hook, json::object body) {
  body["AccountId"] = group.account;
  body["Service"] = "AWS Auto Scaling";
  body["Time"] = wire::to_iso8601(call.now, true);
  body["RequestId"] = base::random_uuid();
  try {
    send_to_target(call, group, hook, body);
  } catch (const wire::ApiError& error) {
    base::log_warn("lifecycle hook not delivered",
                   {{"group", group.name}, {"hook", *hook.LifecycleHookName}, {"error", error.message()}});
  }
}

}  // namespace

void send_test_message(Call& call, const Group& group, const LifecycleHook& hook) {
  json::object body;
  body["AccountId"] = group.account;
  body["RequestId"] = base::random_uuid();
  body["AutoScalingGroupARN"] = group.arn();
  body["AutoScalingGroupName"] = group.name;
  body["Service"] = "AWS Auto Scaling";
  body["Event"] = "autoscaling:TEST_NOTIFICATION";
  body["Time"] = wire::to_iso8601(call.now, true);
  try {
    send_to_target(call, group, hook, body);
  } catch (const wire::ApiError& error) {
    throw validation_error("Unable to publish test message to notification target " + *hook.NotificationTargetARN +
                           " using IAM role " + hook.RoleARN.value_or("null") +
                           ". Please check your target and role configuration and try to put lifecycle hook again. " +
                           error.message());
  }
}

void send_hook_message(Call& call, const Group& group, const LifecycleHook& hook, const HookMessage& message) {
  const bool launches = hook.LifecycleTransition == kLaunching;
  const json::object body = action_body(group, hook, message);
  notify_target(call, group, hook, body);
  publish_group_event(call, group,
                      launches ? "EC2 Instance-launch Lifecycle Action" : "EC2 Instance-terminate Lifecycle Action",
                      message.instance, json::serialize(body));
  if (launches || *hook.LifecycleHookName != kManagedDrainingHook) return;
  const shapes::stoker::MachineTerminating drain{
      .instanceId = message.instance, .group = group.name, .hook = *hook.LifecycleHookName, .token = message.token};
  invoke(call, group_principal(call, group), "ecs", "MachineTerminating", drain);
}

}  // namespace services::autoscaling
