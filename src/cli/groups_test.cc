// SPDX-License-Identifier: Apache-2.0
// stoker groups, stoker group show|set.
#include <gmock/gmock.h>

#include <sstream>

#include "cli/fake_server.h"
#include "cli/group_rows.h"

namespace cli {
namespace {

using shapes::autoscaling::Activity;
using shapes::autoscaling::AutoScalingGroup;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr char kGroup[] = R"({"AutoScalingGroups":[{"AutoScalingGroupName":"workers","MinSize":0,"MaxSize":4,
    "DesiredCapacity":2,"DefaultCooldown":300,"AvailabilityZones":["us-east-1a"],"HealthCheckType":"EC2",
    "CreatedTime":1,"LaunchTemplate":{"LaunchTemplateName":"gpu","Version":"3"},
    "SuspendedProcesses":[{"ProcessName":"Launch","SuspensionReason":"User suspended at 1970"}],
    "Instances":[{"InstanceId":"i-1","InstanceType":"g5.xlarge","AvailabilityZone":"us-east-1a",
        "LifecycleState":"InService","HealthStatus":"Healthy","ProtectedFromScaleIn":true},
      {"InstanceId":"i-2","InstanceType":"g5.xlarge","AvailabilityZone":"us-east-1a",
        "LifecycleState":"Pending:Wait","HealthStatus":"Healthy","ProtectedFromScaleIn":false},
      {"InstanceId":"i-3","InstanceType":"g5.xlarge","AvailabilityZone":"us-east-1a",
        "LifecycleState":"Terminating","HealthStatus":"Healthy","ProtectedFromScaleIn":false}]}]})";
constexpr char kActivities[] = R"({"Activities":[{"ActivityId":"a","AutoScalingGroupName":"workers",
    "Description":"Launching a new EC2 instance: i-1","StatusCode":"Successful","StartTime":1000,"EndTime":1001,
    "Cause":"At 1970-01-01T00:16:40Z a user request explicitly set group desired capacity changing the desired capacity from 0 to 2.  At 1970-01-01T00:16:41Z an instance was started."}]})";
constexpr char kNoGroups[] = R"({"AutoScalingGroups":[]})";

class GroupCommands : public FakeServer {
 protected:
  template <class Run>
  std::string error_of(Run run) {
    try {
      run();
      return "";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }
  std::ostringstream out_;
};

TEST(GroupRow, CountsInstancesByLifecycleState) {
  AutoScalingGroup group;
  group.AutoScalingGroupName = "g";
  group.MaxSize = 3;
  group.Instances.emplace();
  for (const char* state : {"InService", "Pending", "Pending:Wait", "Terminating:Proceed", "Standby"}) {
    group.Instances->push_back({.InstanceType = "g5.xlarge", .LifecycleState = state});
  }
  group.Instances->back().InstanceType = "p5.48xlarge";
  Activity failed{.Description = "Launching a new EC2 instance.", .StatusCode = "Failed"};
  failed.EndTime = base::from_seconds(60);
  EXPECT_THAT(group_row(group, failed, base::from_seconds(180)),
              ElementsAre("g", "0", "0", "3", "1", "2", "1", "g5.xlarge +1", "failed 2 min"));
}

TEST(GroupRow, WithoutInstancesTheTypesOfTheGroupAreShown) {
  AutoScalingGroup group;
  EXPECT_EQ(group_row(group, std::nullopt, base::from_seconds(0)).at(7), "-");
  group.MixedInstancesPolicy.emplace().LaunchTemplate.emplace().Overrides = {{{.InstanceType = "g4dn.xlarge"}}};
  EXPECT_EQ(group_row(group, std::nullopt, base::from_seconds(0)).at(7), "g4dn.xlarge");
}

TEST_F(GroupCommands, GroupsIsATableOfAtMostEightyColumns) {
  reply("DescribeAutoScalingGroups", kGroup);
  reply("DescribeScalingActivities", R"({"Activities":[]})");
  EXPECT_EQ(groups(options_, out_), 0);
  EXPECT_EQ(out_.str(),
            "NAME     MIN  DESIRED  MAX  RUNNING  PENDING  ENDING  TYPE       LAST ACTIVITY\n"
            "workers  0    2        4    1        1        1       g5.xlarge  -\n");
  EXPECT_LE(out_.str().find('\n'), 80u);
  EXPECT_THAT(requests("DescribeScalingActivities"),
              ElementsAre(R"({"AutoScalingGroupName":"workers","MaxRecords":1})"));
}

TEST_F(GroupCommands, GroupsReadsAllPagesAndPrintsJson) {
  reply("DescribeAutoScalingGroups", R"({"AutoScalingGroups":[{"AutoScalingGroupName":"b"}],"NextToken":"t"})");
  reply("DescribeAutoScalingGroups", R"({"AutoScalingGroups":[{"AutoScalingGroupName":"a"}]})");
  options_.json = true;
  EXPECT_EQ(groups(options_, out_), 0);
  EXPECT_THAT(out_.str(), StartsWith(R"({"groups":[{"AutoScalingGroupName":"a")"));
  EXPECT_THAT(requests("DescribeAutoScalingGroups").at(1), HasSubstr(R"("NextToken":"t")"));
}

TEST_F(GroupCommands, WithoutGroupsACommandThatCreatesOneIsNamed) {
  reply("DescribeAutoScalingGroups", kNoGroups);
  EXPECT_EQ(groups(options_, out_), 0);
  EXPECT_THAT(out_.str(), HasSubstr("create-auto-scaling-group"));
}

TEST_F(GroupCommands, ShowPrintsInstancesPoliciesAndActivities) {
  reply("DescribeAutoScalingGroups", kGroup);
  reply("DescribePolicies", R"({"ScalingPolicies":[{"PolicyName":"by-backlog","PolicyType":"StepScaling",
      "AdjustmentType":"ExactCapacity","StepAdjustments":[{"ScalingAdjustment":1}]}]})");
  reply("DescribeScalingActivities", kActivities);
  reply("ListContainerInstances", R"({"containerInstanceArns":["arn:aws:ecs:r:0:container-instance/default/c1"]})");
  reply("DescribeContainerInstances", R"({"containerInstances":[{"ec2InstanceId":"i-1","runningTasksCount":2,
      "pendingTasksCount":1,"containerInstanceArn":"arn:aws:ecs:r:0:container-instance/default/c1"}]})");
  EXPECT_EQ(group_show(options_, "workers", out_), 0);
  EXPECT_EQ(out_.str(),
            "workers: 2 desired (0 to 4); 1 in service, 1 pending, 1 terminating\n"
            "launch template gpu (3)\n"
            "Launch is suspended: User suspended at 1970\n"
            "\n"
            "INSTANCE  STATE         TASKS  TYPE       ZONE  NOTE\n"
            "i-1       InService     3      g5.xlarge  1a    protected\n"
            "i-2       Pending:Wait  -      g5.xlarge  1a\n"
            "i-3       Terminating   -      g5.xlarge  1a\n"
            "\n"
            "policy by-backlog\n"
            "    StepScaling: ExactCapacity in 1 step\n"
            "\n"
            "1970-01-01T00:16:40Z Successful Launching a new EC2 instance: i-1\n"
            "    At 1970-01-01T00:16:40Z a user request explicitly set group desired capacity\n"
            "    changing the desired capacity from 0 to 2.\n"
            "    At 1970-01-01T00:16:41Z an instance was started.\n");
}

TEST_F(GroupCommands, SetSendsOnlyTheGivenSizes) {
  reply("DescribeAutoScalingGroups", kGroup);
  reply("UpdateAutoScalingGroup", "");
  EXPECT_EQ(group_set(options_, {.group = "workers", .max = 4, .desired = 2}, out_), 0);
  EXPECT_THAT(requests("UpdateAutoScalingGroup"),
              ElementsAre(R"({"AutoScalingGroupName":"workers","MaxSize":4,"DesiredCapacity":2})"));
  EXPECT_THAT(out_.str(), StartsWith("workers: 2 desired (0 to 4); 1 in service"));
}

TEST_F(GroupCommands, AMissingGroupAndAnEmptyChangeAreErrors) {
  reply("DescribeAutoScalingGroups", kNoGroups);
  EXPECT_EQ(error_of([&] { group_show(options_, "x", out_); }), "no such group: x");
  EXPECT_EQ(error_of([&] { explain_group(options_, "x", out_); }), "no such group: x");
  EXPECT_EQ(error_of([&] { group_set(options_, {.group = "x", .min = 1}, out_); }), "no such group: x");
  EXPECT_THAT(error_of([&] { group_set(options_, {.group = "x"}, out_); }), HasSubstr("nothing to set"));
  EXPECT_THAT(requests("UpdateAutoScalingGroup"), IsEmpty());
}

}  // namespace
}  // namespace cli
