// SPDX-License-Identifier: Apache-2.0
// PutNotificationConfiguration and the other operations on notifications.
#include <algorithm>
#include <set>

#include "services/arn.h"
#include "services/autoscaling/errors.h"
#include "services/autoscaling/policies/no_parameters.h"
#include "services/autoscaling/policies/notification_row.h"
#include "services/autoscaling/policies/notifications.h"
#include "services/autoscaling/policies/policy_errors.h"
#include "shapes/autoscaling/notification.h"

namespace services::autoscaling {
using namespace shapes::autoscaling;
namespace {

constexpr std::size_t kMaxTopics = 10;  // Amazon's, of a group
constexpr std::string_view kNotificationTypes[] = {
    "autoscaling:EC2_INSTANCE_LAUNCH", "autoscaling:EC2_INSTANCE_LAUNCH_ERROR", "autoscaling:EC2_INSTANCE_TERMINATE",
    "autoscaling:EC2_INSTANCE_TERMINATE_ERROR", kTestNotification};

NotificationRow read_notification(const store::Row& row) {
  return {row.integer(0), row.integer(1), row.str(2), row.str(3), row.str(4)};
}

void check_topic(const std::string& topic) {
  check_text("TopicARN", topic);
  const auto arn = parse_arn(topic);
  if (!arn || arn->resource.empty()) throw invalid_request("Invalid TopicARN: " + topic);
  if (arn->service == "sqs") return;
  throw invalid_request("Stoker does not support the service " + std::string(arn->service) +
                        ": TopicARN must be the ARN of an SQS queue");
}

void check_types(const std::vector<std::string>& types) {
  if (types.empty()) throw invalid_request("At least one notification type must be specified");
  for (const std::string& type : types) {
    if (std::find(std::begin(kNotificationTypes), std::end(kNotificationTypes), type) == std::end(kNotificationTypes)) {
      throw invalid_request("Invalid notification type: " + type);
    }
  }
}

void check_topic_count(Call& call, const Group& group, const std::string& topic) {
  std::set<std::string> topics = {topic};
  for (const NotificationRow& row : list_notifications(call.tx, group.number)) topics.insert(row.topic);
  if (topics.size() > kMaxTopics) {
    throw limit_reached("The Auto Scaling group " + group.name + " has 10 notification topics already.");
  }
}

void delete_topic(Call& call, const Group& group, const std::string& topic) {
  call.tx.exec("DELETE FROM autoscaling_notifications WHERE grp = $1 AND topic = $2", group.number, topic);
}

// Overwrites what the group had for this topic.
void put_notification_configuration(Call& call, const PutNotificationConfigurationType& request) {
  const Group group = find_group(call, request.AutoScalingGroupName);
  check_topic(request.TopicARN);
  check_types(request.NotificationTypes);
  check_topic_count(call, group, request.TopicARN);
  try {
    send_to_queue(call, group, request.TopicARN, test_message(call, group));
  } catch (const wire::ApiError& error) {
    throw invalid_request("Unable to publish test message to notification target " + request.TopicARN + ": " +
                          error.message());
  }
  delete_topic(call, group, request.TopicARN);
  const std::set<std::string> types(request.NotificationTypes.begin(), request.NotificationTypes.end());
  for (const std::string& type : types) {
    call.tx.exec("INSERT INTO autoscaling_notifications (grp, account, region, group_name, topic, type) "
                 "VALUES ($1, $2, $3, $4, $5, $6)",
                 group.number, group.account, group.region, group.name, request.TopicARN, type);
  }
}

DescribeNotificationConfigurationsAnswer describe_notification_configurations(
    Call& call, const DescribeNotificationConfigurationsType& request) {
  const NumberPage page = read_number_page(request.MaxRecords, request.NextToken);
  std::set<std::string> names;
  if (request.AutoScalingGroupNames) {
    names.insert(request.AutoScalingGroupNames->begin(), request.AutoScalingGroupNames->end());
  }
  for (const std::string& name : names) find_group(call, name);
  std::vector<NotificationRow> rows;
  call.tx
      .query("SELECT id, grp, group_name, topic, type FROM autoscaling_notifications "
             "WHERE account = $1 AND region = $2 AND id > $3 ORDER BY id",
             call.caller.account, call.caller.region, page.after)
      .each([&](const store::Row& row) {
        if (rows.size() > static_cast<std::size_t>(page.size)) return;
        NotificationRow read = read_notification(row);
        if (names.empty() || names.contains(read.group_name)) rows.push_back(std::move(read));
      });
  DescribeNotificationConfigurationsAnswer answer;
  answer.NextToken = cut_number_page(rows, page);
  for (const NotificationRow& row : rows) {
    answer.NotificationConfigurations.push_back({row.group_name, row.topic, row.type});
  }
  return answer;
}

void delete_notification_configuration(Call& call, const DeleteNotificationConfigurationType& request) {
  check_text("TopicARN", request.TopicARN);
  delete_topic(call, find_group(call, request.AutoScalingGroupName), request.TopicARN);
}

DescribeAutoScalingNotificationTypesAnswer describe_notification_types(Call&, const NoParameters&) {
  DescribeAutoScalingNotificationTypesAnswer answer;
  answer.AutoScalingNotificationTypes.emplace(std::begin(kNotificationTypes), std::end(kNotificationTypes));
  return answer;
}

}  // namespace

std::vector<NotificationRow> list_notifications(store::Tx& tx, std::int64_t group) {
  return tx
      .query("SELECT id, grp, group_name, topic, type FROM autoscaling_notifications WHERE grp = $1 ORDER BY id", group)
      .all(read_notification);
}

void delete_notifications(store::Tx& tx, std::int64_t group) {
  tx.exec("DELETE FROM autoscaling_notifications WHERE grp = $1", group);
}

std::vector<Operation> notification_operations() {
  return {
      operation<&delete_notification_configuration>("DeleteNotificationConfiguration", Access::Write),
      operation<&describe_notification_types>("DescribeAutoScalingNotificationTypes", Access::Read),
      operation<&describe_notification_configurations>("DescribeNotificationConfigurations", Access::Read),
      operation<&put_notification_configuration>("PutNotificationConfiguration", Access::Write),
  };
}

}  // namespace services::autoscaling
