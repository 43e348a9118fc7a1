// SPDX-License-Identifier: Apache-2.0
#include <boost/json/parse.hpp>

#include "services/autoscaling/policies/policy_fixture.h"
#include "shapes/autoscaling/notification.h"

namespace services::autoscaling {
using namespace shapes::autoscaling;
namespace {

constexpr char kAlerts[] = "arn:aws:sqs:us-east-1:111111111111:alerts";

class NotificationTest : public PolicyTest {
 protected:
  void put_types(std::vector<std::string> types, const std::string& topic = kAlerts) {
    run<void>("PutNotificationConfiguration", PutNotificationConfigurationType{.AutoScalingGroupName = "workers",
                                                                               .TopicARN = topic,
                                                                               .NotificationTypes = std::move(types)});
  }
  std::vector<NotificationConfiguration> configurations() {
    return run<DescribeNotificationConfigurationsAnswer>("DescribeNotificationConfigurations",
                                                         DescribeNotificationConfigurationsType())
        .NotificationConfigurations;
  }
};

TEST_F(NotificationTest, ALaunchIsSentToTheQueue) {
  create(0, 5);
  put_types({"autoscaling:EC2_INSTANCE_LAUNCH"});
  ASSERT_EQ(fake().messages.size(), 1u);
  EXPECT_NE(fake().messages[0].second.find("autoscaling:TEST_NOTIFICATION"), std::string::npos);
  set_capacity(1);
  start(instances()[0].InstanceId);
  ASSERT_EQ(fake().messages.size(), 2u);
  EXPECT_EQ(fake().messages[1].first, "/111111111111/alerts");
  const auto message = boost::json::parse(fake().messages[1].second).as_object();
  EXPECT_EQ(message.at("Event"), "autoscaling:EC2_INSTANCE_LAUNCH");
  EXPECT_EQ(message.at("EC2InstanceId"), "i-1001");
  EXPECT_EQ(message.at("Origin"), "EC2");
  EXPECT_EQ(message.at("StatusCode"), "InProgress");
  EXPECT_TRUE(message.at("Details").is_object());
  set_capacity(0);
  stop("i-1001");
  EXPECT_EQ(fake().messages.size(), 2u);  // terminations are not configured
}

TEST_F(NotificationTest, PuttingATopicAgainReplacesItsTypes) {
  create(0, 5);
  put_types({"autoscaling:EC2_INSTANCE_LAUNCH", "autoscaling:EC2_INSTANCE_TERMINATE"});
  put_types({"autoscaling:EC2_INSTANCE_LAUNCH_ERROR"});
  ASSERT_EQ(configurations().size(), 1u);
  EXPECT_EQ(configurations()[0].NotificationType, "autoscaling:EC2_INSTANCE_LAUNCH_ERROR");
  run<void>("DeleteNotificationConfiguration",
            DeleteNotificationConfigurationType{.AutoScalingGroupName = "workers", .TopicARN = kAlerts});
  EXPECT_TRUE(configurations().empty());
}

TEST_F(NotificationTest, OnlyQueuesThatAcceptAMessageAreTopics) {
  create(0, 5);
  EXPECT_NE(error_of([&] {
              put_types({"autoscaling:EC2_INSTANCE_LAUNCH"}, "arn:aws:sns:us-east-1:111111111111:topic");
            }).find("does not support the service sns"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              put_types({"autoscaling:EC2_INSTANCE_LAUNCH"}, "arn:aws:sqs:us-east-1:111111111111:missing");
            }).find("Unable to publish test message to notification target"),
            std::string::npos);
  EXPECT_NE(error_of([&] { put_types({"autoscaling:SOMETHING"}); }), "");
}

}  // namespace
}  // namespace services::autoscaling
