// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/groups/group_events.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "services/arn.h"
#include "services/autoscaling/groups/observers.h"
#include "services/directory.h"
#include "services/invoke.h"
#include "shapes/events/event.h"
#include "shapes/events/rule.h"
#include "wire/timestamp.h"

namespace services::autoscaling {
namespace {

namespace json = boost::json;

constexpr std::string_view kOneRule = "ListOneEnabledRule";

bool has_event_rules(Call& call) {
  if (!call.directory || !call.directory->find("events", kOneRule)) return false;
  const auto found = invoke<shapes::events::ListRulesResponse>(call, call.caller, "events", kOneRule,
                                                               shapes::events::ListRulesRequest());
  return found.Rules && !found.Rules->empty();
}

std::string activity_detail(const Group& group, const Activity& activity) {
  const bool launches = activity.kind == ActivityKind::Launch;
  json::object detail;
  // Amazon's events of success have this status, too.
  detail["StatusCode"] = activity.status == "Successful" ? "InProgress" : activity.status;
  detail["Description"] = activity.description;
  detail["AutoScalingGroupName"] = group.name;
  detail["ActivityId"] = activity.id;
  detail["Details"] = json::parse(activity.details_json);
  detail["RequestId"] = activity.id;
  detail["StatusMessage"] = activity.status_message;
  detail["EndTime"] = wire::to_iso8601(activity.ended_at.value_or(activity.started_at), true);
  detail["EC2InstanceId"] = activity.instance;
  detail["StartTime"] = wire::to_iso8601(activity.started_at, true);
  detail["Cause"] = activity.cause;
  detail["Origin"] = launches ? "EC2" : "AutoScalingGroup";
  detail["Destination"] = launches ? "AutoScalingGroup" : "EC2";
  return json::serialize(detail);
}

}  // namespace

Caller group_principal(const Call& call, const Group& group) {
  Caller principal = as_service(call, "autoscaling.amazonaws.com", group.arn(), group.account);
  principal.region = group.region;
  return principal;
}

void publish_group_event(Call& call, const Group& group, std::string_view detail_type, const std::string& instance,
                         const std::string& detail_json) {
  if (!has_event_rules(call)) return;
  shapes::events::PutEventsRequest request;
  request.Entries.resize(1);
  auto& entry = request.Entries[0];
  entry.Source = "aws.autoscaling";
  entry.DetailType = std::string(detail_type);
  entry.Resources = {{group.arn()}};
  if (!instance.empty())
    entry.Resources->push_back(Arn{"ec2", group.region, group.account, "instance/" + instance}.str());
  entry.Detail = detail_json;
  invoke<shapes::events::PutEventsResponse>(call, group_principal(call, group), "events", "PutEvents", request);
}

void announce_end(Call& call, const Group& group, const Activity& activity) {
  const bool launches = activity.kind == ActivityKind::Launch;
  if (!launches && activity.kind != ActivityKind::Terminate) return;
  const bool succeeded = activity.status == "Successful";
  std::string type = launches ? "EC2 Instance Launch " : "EC2 Instance Terminate ";
  type += succeeded ? "Successful" : "Unsuccessful";
  publish_group_event(call, group, type, activity.instance, activity_detail(group, activity));
  std::string event = launches ? "autoscaling:EC2_INSTANCE_LAUNCH" : "autoscaling:EC2_INSTANCE_TERMINATE";
  if (!succeeded) event += "_ERROR";
  for (const auto& notify : call.local<GroupObservers>().notifications) notify(call, group, activity, event);
}

}  // namespace services::autoscaling
