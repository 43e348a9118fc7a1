// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "services/autoscaling/groups/capacity.h"
#include "services/autoscaling/groups/group_fixture.h"
#include "services/autoscaling/groups/group_snapshot.h"
#include "services/shape_json.h"
#include "shapes/autoscaling/launch_configuration.h"
#include "state/definition.h"
#include "state/launch.h"
#include "state/machine.h"
#include "state/service.h"
#include "state/task.h"

namespace services::autoscaling {
namespace {

using namespace shapes::autoscaling;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class GroupLoop : public GroupTest {
 protected:
  enum class Of { Nobody, Daemon };

  // A task of a cluster of its own, whose agent is the instance.
  state::Task run_task_on(Call& call, const std::string& id, Of of = Of::Nobody) {
    auto row = state::find_ec2_instance(call.tx, id);
    row->agent_json = to_json(shapes::stoker::AgentSettings{.cluster = "gpu-" + id});
    state::update_ec2_instance(call.tx, *row);
    state::Cluster cluster;
    cluster.account = caller_.account;
    cluster.region = caller_.region;
    cluster.name = "gpu-" + id;
    cluster.number = state::insert_cluster(call.tx, cluster, "{}", now_);
    state::Machine machine;
    machine.id = model::InstanceId("machine-" + id);
    machine.cluster = cluster.number;
    machine.name = id;
    machine.connected_at = machine.registered_at = now_;
    state::insert_machine(call.tx, machine);
    state::Definition definition{.family = id, .revision = 1, .status = "ACTIVE", .registered_at = now_};
    state::insert_definition(call.tx, {cluster.account, cluster.region, id}, definition);
    state::Launch launch;
    launch.cluster = cluster.number;
    launch.definition = state::find_definition(call.tx, {cluster.account, cluster.region, id})->number;
    launch.body_json = "{}";
    launch.created_at = now_;
    if (of == Of::Daemon) {
      state::Service service{.cluster = cluster.number, .name = "daemon", .daemon = true, .created_at = now_};
      launch.service = state::insert_service(call.tx, service);
      launch.deployment = state::DeploymentNumber(1);
    }
    state::Task task;
    task.name = state::new_task_name(state::insert_launch(call.tx, launch), 0);
    task.id = model::TaskId(state::to_text(task.name));
    task.cluster = cluster.number;
    task.machine_number = machine.number;
    state::insert_tasks(call.tx, {task});
    task.credentials = "ASIATASK";
    task.credentials_id = "credentials";
    state::set_credentials(call.tx, task, now_ + std::chrono::hours(6));
    return task;
  }
};

TEST_F(GroupLoop, ANewGroupLaunchesItsDesiredCapacity) {
  auto request = group_request(0, 3);
  request.DesiredCapacity = 2;
  request.Tags = {{{.Key = "team", .Value = "vision", .PropagateAtLaunch = true}, {.Key = "secret", .Value = "x"}}};
  run<void>("CreateAutoScalingGroup", request);
  EXPECT_TRUE(woke(kGroupsTopic));
  settle();
  EXPECT_THAT(states(), ElementsAre("i-1001 Pending Healthy", "i-1002 Pending Healthy"));
  const auto& launch = fake().launches.at(0);
  EXPECT_EQ(launch.LaunchTemplate->LaunchTemplateId, "lt-1");
  EXPECT_EQ(launch.LaunchTemplate->Version, "1");
  EXPECT_EQ(launch.Placement->AvailabilityZone, "us-east-1a");
  ASSERT_THAT(*launch.TagSpecifications->at(0).Tags, SizeIs(2));
  EXPECT_EQ(tag_value(*launch.TagSpecifications->at(0).Tags, "aws:autoscaling:groupName"), "workers");
  const auto list = activities();
  ASSERT_THAT(list, SizeIs(2));
  EXPECT_EQ(list[0].StatusCode, "PreInService");
  EXPECT_EQ(list[0].Progress, 30);
  EXPECT_EQ(list[0].ActivityId, *fake().launches.at(1).ClientToken);
  EXPECT_EQ(list[0].Description, "Launching a new EC2 instance: i-1002");
  EXPECT_EQ(
      list[0].Cause,
      "At 2027-01-15T08:00:00Z a user request created an AutoScalingGroup changing the desired capacity from 0 to "
      "2.  At 2027-01-15T08:00:00Z an instance was started in response to a difference between desired and actual "
      "capacity, increasing the capacity from 0 to 2.");
  EXPECT_EQ(list[0].Details, R"({"Availability Zone":"us-east-1a"})");
}

TEST_F(GroupLoop, ARunningMachineIsInServiceAndItsActivitySucceeds) {
  create_running(1, 3, 1);
  EXPECT_THAT(states(), ElementsAre("i-1001 InService Healthy"));
  const auto list = activities();
  EXPECT_EQ(list[0].StatusCode, "Successful");
  EXPECT_EQ(list[0].Progress, 100);
  EXPECT_TRUE(list[0].EndTime);
  EXPECT_THAT(fake().events, ElementsAre("EC2 Instance Launch Successful"));
}

// Refreshes wait for these changes.
TEST_F(GroupLoop, LaunchesAndTerminationsWakeTheLoopOfRefreshes) {
  const auto take_one_turn = [&] {
    Decision decision;
    store_->read_now([&](store::Tx& tx) {
      Call call{tx, nobody_, now_, now_, &locals_, &directory_};
      decision = module_.loops.front().look(call);
    });
    ASSERT_TRUE(decision.apply);
    with_call(decision.apply);
  };
  auto request = group_request(0, 2);
  request.DesiredCapacity = 1;
  run<void>("CreateAutoScalingGroup", request);
  take_one_turn();
  EXPECT_TRUE(woke(kGroupChangesTopic)) << "launched";
  settle();
  start("i-1001");
  run<void>("SetDesiredCapacity", SetDesiredCapacityType{.AutoScalingGroupName = "workers", .DesiredCapacity = 0});
  take_one_turn();
  EXPECT_TRUE(woke(kGroupChangesTopic)) << "terminated";
}

TEST_F(GroupLoop, ScaleInTerminatesAndForgetsTheInstance) {
  create_running(0, 3, 2);
  set_capacity(1);
  ASSERT_THAT(states(), SizeIs(2));
  EXPECT_THAT(states(), testing::Contains(HasSubstr("Terminating")));
  const auto running = activities().at(0);
  EXPECT_THAT(running.Cause, HasSubstr("a user request explicitly set group desired capacity changing the desired "
                                       "capacity from 2 to 1.  At"));
  EXPECT_THAT(running.Cause,
              HasSubstr("an instance was taken out of service in response to a difference between desired "
                        "and actual capacity, shrinking the capacity from 2 to 1.  At"));
  EXPECT_THAT(running.Cause, HasSubstr("was selected for termination."));
  EXPECT_EQ(running.StatusCode, "InProgress");
  stop("i-1001");
  EXPECT_THAT(states(), ElementsAre("i-1002 InService Healthy"));
  EXPECT_EQ(activities().at(0).StatusCode, "Successful");
}

TEST_F(GroupLoop, AGroupGoesToZeroAndBack) {
  create_running(0, 3, 2);
  set_capacity(0);
  stop("i-1001");
  stop("i-1002");
  EXPECT_THAT(states(), IsEmpty());
  set_capacity(1);
  EXPECT_THAT(states(), ElementsAre("i-1003 Pending Healthy"));
}

TEST_F(GroupLoop, APendingInstanceIsCancelledOnScaleIn) {
  create_running(0, 3, 1);
  set_capacity(2);
  set_capacity(1);
  EXPECT_THAT(states(), ElementsAre("i-1001 InService Healthy", "i-1002 Terminating Healthy"));
  stop("i-1002");
  EXPECT_THAT(states(), ElementsAre("i-1001 InService Healthy"));
}

TEST_F(GroupLoop, ALaunchThatEc2RefusesFailsWithTheReasonAndIsRetried) {
  fake().launch_error = "There is no capacity.";
  create(1, 1);
  settle();
  EXPECT_THAT(states(), IsEmpty());
  auto list = activities();
  ASSERT_THAT(list, SizeIs(1));
  EXPECT_EQ(list[0].StatusCode, "Failed");
  EXPECT_EQ(list[0].Description,
            "Launching a new EC2 instance.  Status Reason: There is no capacity. Launching EC2 instance failed.");
  EXPECT_EQ(list[0].StatusMessage, "There is no capacity. Launching EC2 instance failed.");
  EXPECT_EQ(next_, now_ + autoscaler::kFirstLaunchRetry);
  EXPECT_THAT(fake().events, ElementsAre("EC2 Instance Launch Unsuccessful"));
  fake().launch_error.clear();
  advance(autoscaler::kFirstLaunchRetry);
  EXPECT_THAT(states(), ElementsAre("i-1001 Pending Healthy"));
}

TEST_F(GroupLoop, AMachineThatCanNotStartFailsItsLaunchAndIsReplacedAfterAPause) {
  create(1, 1);
  settle();
  set_machine("i-1001", state::Ec2State::Terminated, "sbatch: error: invalid partition");
  EXPECT_THAT(states(), IsEmpty());
  const auto list = activities();
  EXPECT_EQ(list[0].StatusCode, "Failed");
  EXPECT_EQ(list[0].Description,
            "Launching a new EC2 instance: i-1001.  Status Reason: sbatch: error: invalid "
            "partition. Launching EC2 instance failed.");
  advance(autoscaler::kFirstLaunchRetry);
  EXPECT_THAT(states(), ElementsAre("i-1002 Pending Healthy"));
}

TEST_F(GroupLoop, LaunchesThatFailTogetherDelayTheNextOnesAsOneFailure) {
  create(3, 3);
  settle();
  for (const char* id : {"i-1001", "i-1002", "i-1003"}) set_machine(id, state::Ec2State::Terminated, "no room");
  EXPECT_THAT(states(), IsEmpty());
  EXPECT_EQ(next_, now_ + autoscaler::kFirstLaunchRetry);
  advance(autoscaler::kFirstLaunchRetry);
  EXPECT_THAT(states(), SizeIs(3));
  set_machine("i-1004", state::Ec2State::Terminated, "no room");
  EXPECT_EQ(next_, now_ + 2 * autoscaler::kFirstLaunchRetry);
}

TEST_F(GroupLoop, AChangeThatIsTakenBackIsNoCauseOfTheNextOne) {
  create_running(0, 2, 1);
  run<void>("SetDesiredCapacity", SetDesiredCapacityType{.AutoScalingGroupName = "workers", .DesiredCapacity = 2});
  set_capacity(1);
  set_capacity(2);
  EXPECT_EQ(activities().at(0).Cause,
            "At 2027-01-15T08:00:00Z a user request explicitly set group desired capacity changing the desired capacity "
            "from 1 to 2.  At 2027-01-15T08:00:00Z an instance was started in response to a difference between desired "
            "and actual capacity, increasing the capacity from 1 to 2.");
}

TEST_F(GroupLoop, AnInstanceThatDiesIsReplaced) {
  create_running(1, 1, 1);
  now_ += std::chrono::seconds(10);
  set_machine("i-1001", state::Ec2State::Terminated, "The job ended.");
  EXPECT_THAT(states(), ElementsAre("i-1002 Pending Healthy"));
  const auto list = activities();
  EXPECT_EQ(list[0].Cause,
            "At 2027-01-15T08:00:10Z an instance was launched in response to an unhealthy instance needing "
            "to be replaced.");
  EXPECT_EQ(list[1].Description, "Terminating EC2 instance: i-1001");
  EXPECT_EQ(list[1].Cause,
            "At 2027-01-15T08:00:10Z an instance was taken out of service in response to an EC2 health "
            "check indicating it has been terminated or stopped.");
  EXPECT_EQ(list[1].StatusMessage, "The job ended.");
}

TEST_F(GroupLoop, AnImpairedInstanceIsFoundByTheNextCheckAndReplaced) {
  create_running(1, 1, 1);
  EXPECT_EQ(next_, now_ + kPassedCheckInterval);
  with_call([&](Call& call) {
    auto row = state::find_ec2_instance(call.tx, "i-1001");
    row->agent_json = to_json(shapes::stoker::AgentSettings{.cluster = "gpu"});
    state::update_ec2_instance(call.tx, *row);
  });
  fake().impaired = {"i-1001"};
  advance(kPassedCheckInterval);
  EXPECT_THAT(states(), ElementsAre("i-1001 Terminating Unhealthy", "i-1002 Pending Healthy"));
  EXPECT_THAT(activities().at(1).Cause, HasSubstr("in response to an EC2 instance status check failure."));
  EXPECT_EQ(activities().at(1).StatusMessage, "The ECS agent of the instance never joined the cluster gpu.");
}

TEST_F(GroupLoop, AReplacedInstanceKeepsTheDesiredCapacity) {
  create_running(1, 2, 1);
  with_call([&](Call& call) {
    Group group = find_group(call, "workers");
    replace_instance(call, group, "i-1001", "an instance was taken out of service in response to an instance refresh");
  });
  EXPECT_TRUE(woke(kGroupsTopic));
  settle();
  EXPECT_THAT(states(), ElementsAre("i-1001 Terminating Healthy", "i-1002 Pending Healthy"));
  EXPECT_THAT(activities().at(1).Cause, HasSubstr("in response to an instance refresh.  At "));
}

TEST_F(GroupLoop, ProtectedInstancesStayAndOneActivityReportsIt) {
  create_running(0, 2, 1);
  run<SetInstanceProtectionAnswer>(
      "SetInstanceProtection",
      SetInstanceProtectionQuery{
          .InstanceIds = {"i-1001"}, .AutoScalingGroupName = "workers", .ProtectedFromScaleIn = true});
  set_capacity(0);
  EXPECT_EQ(shown().DesiredCapacity, 0);
  EXPECT_THAT(states(), ElementsAre("i-1001 InService Healthy"));
  ASSERT_THAT(activities(), SizeIs(2));
  EXPECT_EQ(activities().at(0).Description,
            "Could not scale to desired capacity because all remaining instances are protected from scale-in.");
  run<SetInstanceProtectionAnswer>(
      "SetInstanceProtection",
      SetInstanceProtectionQuery{
          .InstanceIds = {"i-1001"}, .AutoScalingGroupName = "workers", .ProtectedFromScaleIn = false});
  settle();
  EXPECT_THAT(states(), ElementsAre("i-1001 Terminating Healthy"));
}

TEST_F(GroupLoop, ScaleInPrefersMachinesWithoutTasksAndNamesRunningOnes) {
  create_running(0, 2, 2);
  with_call([&](Call& call) { run_task_on(call, "i-1001"); });
  set_capacity(1);
  EXPECT_THAT(states(), ElementsAre("i-1001 InService Healthy", "i-1002 Terminating Healthy"));
  EXPECT_FALSE(activities().at(0).StatusMessage);
  set_capacity(0);
  EXPECT_EQ(activities().at(0).StatusMessage,
            "Tasks were running on the instance when it was selected for termination.");
}

TEST_F(GroupLoop, AMachineWhoseTaskIsSavingItsWorkIsBusy) {
  create_running(0, 2, 2);
  with_call([&](Call& call) {
    state::Task task = run_task_on(call, "i-1001");
    task.desired = model::DesiredStatus::Stopped;
    task.stopping_at = now_;
    state::update_task(call.tx, task);
  });
  set_capacity(1);
  EXPECT_THAT(states(), ElementsAre("i-1001 InService Healthy", "i-1002 Terminating Healthy"));
}

TEST_F(GroupLoop, ScaleInPrefersMachinesThatRunDaemonsOnly) {
  create_running(0, 2, 2);
  with_call([&](Call& call) {
    run_task_on(call, "i-1001");
    run_task_on(call, "i-1002", Of::Daemon);
  });
  set_capacity(1);
  EXPECT_THAT(states(), ElementsAre("i-1001 InService Healthy", "i-1002 Terminating Healthy"));
}

TEST_F(GroupLoop, ATerminationNamesTheMessagesThatTasksHold) {
  create_running(0, 1, 1);
  with_call([&](Call& call) { run_task_on(call, "i-1001"); });
  fake().held = {{"ASIATASK", "jobs"}, {"ASIAOTHER", "others"}};
  set_capacity(0);
  EXPECT_EQ(activities().at(0).StatusMessage,
            "Tasks were running on the instance when it was selected for termination. They hold messages in flight: 1 "
            "of jobs.");
}

TEST_F(GroupLoop, MixedInstancesFallBackToTheNextType) {
  auto request = group_request(1, 1);
  request.LaunchTemplate.reset();
  request.MixedInstancesPolicy.emplace();
  request.MixedInstancesPolicy->LaunchTemplate.emplace();
  request.MixedInstancesPolicy->LaunchTemplate->LaunchTemplateSpecification = {{.LaunchTemplateId = "lt-1"}};
  request.MixedInstancesPolicy->LaunchTemplate->Overrides = {
      {{.InstanceType = "p3.2xlarge"}, {.InstanceType = "g4dn.xlarge"}}};
  fake().unknown_types = {"p3.2xlarge"};
  run<void>("CreateAutoScalingGroup", request);
  settle();
  EXPECT_EQ(instances().at(0).InstanceType, "g4dn.xlarge");
  EXPECT_EQ(shown().MixedInstancesPolicy->InstancesDistribution->OnDemandAllocationStrategy, "prioritized");
}

TEST_F(GroupLoop, SubnetsDecideTheZones) {
  auto request = group_request(1, 1);
  request.AvailabilityZones.reset();
  request.VPCZoneIdentifier = "subnet-b, subnet-c";
  run<void>("CreateAutoScalingGroup", request);
  settle();
  EXPECT_THAT(shown().AvailabilityZones, ElementsAre("us-east-1b", "us-east-1c"));
  EXPECT_EQ(fake().launches.at(0).SubnetId, "subnet-b");
  EXPECT_EQ(activities().at(0).Details, R"({"Subnet ID":"subnet-b","Availability Zone":"us-east-1b"})");
}

TEST_F(GroupLoop, ALaunchConfigurationIsSentMemberByMember) {
  CreateLaunchConfigurationType configuration;
  configuration.LaunchConfigurationName = "old";
  configuration.ImageId = "ami-7";
  configuration.InstanceType = "p3.2xlarge";
  configuration.UserData = "ZWNobw==";
  configuration.SecurityGroups = {{"sg-1"}};
  run<void>("CreateLaunchConfiguration", configuration);
  auto request = group_request(1, 1);
  request.LaunchTemplate.reset();
  request.LaunchConfigurationName = "old";
  run<void>("CreateAutoScalingGroup", request);
  settle();
  const auto& launch = fake().launches.at(0);
  EXPECT_EQ(launch.ImageId, "ami-7");
  EXPECT_EQ(launch.InstanceType, "p3.2xlarge");
  EXPECT_EQ(launch.UserData, "ZWNobw==");
  EXPECT_THAT(*launch.SecurityGroupIds, ElementsAre("sg-1"));
  EXPECT_EQ(instances().at(0).LaunchConfigurationName, "old");
  EXPECT_THAT(error_of([&] {
                run<void>("DeleteLaunchConfiguration", LaunchConfigurationNameType{.LaunchConfigurationName = "old"});
              }),
              HasSubstr("because it is attached to AutoScalingGroup workers"));
}

TEST_F(GroupLoop, ASuspendedLaunchWaitsUntilItIsResumed) {
  create(0, 1);
  run<void>("SuspendProcesses",
            ScalingProcessQuery{.AutoScalingGroupName = "workers", .ScalingProcesses = {{"Launch"}}});
  set_capacity(1);
  EXPECT_THAT(states(), IsEmpty());
  EXPECT_EQ(shown().SuspendedProcesses->at(0).SuspensionReason, "User suspended at 2027-01-15T08:00:00Z");
  run<void>("ResumeProcesses", ScalingProcessQuery{.AutoScalingGroupName = "workers", .ScalingProcesses = {}});
  settle();
  EXPECT_THAT(states(), SizeIs(1));
}

TEST_F(GroupLoop, APlanOfAnOlderVersionIsNotApplied) {
  create(1, 1);
  Decision decision;
  store_->read_now([&](store::Tx& tx) {
    Call call{tx, nobody_, now_, now_, &locals_, &directory_};
    decision = module_.loops.front().look(call);
  });
  run<void>("UpdateAutoScalingGroup",
            UpdateAutoScalingGroupType{.AutoScalingGroupName = "workers", .MinSize = 0, .DesiredCapacity = 0});
  with_call(decision.apply);
  EXPECT_THAT(states(), IsEmpty());
  settle();
  EXPECT_THAT(states(), IsEmpty());
}

TEST_F(GroupLoop, AForcedDeletionTerminatesAllAndThenTheGroupIsGone) {
  create_running(1, 2, 2);
  EXPECT_THAT(error_of([&] {
                run<void>("DeleteAutoScalingGroup", DeleteAutoScalingGroupType{.AutoScalingGroupName = "workers"});
              }),
              HasSubstr("ResourceInUseFault: You cannot delete an AutoScalingGroup while there are instances"));
  run<void>("DeleteAutoScalingGroup",
            DeleteAutoScalingGroupType{.AutoScalingGroupName = "workers", .ForceDelete = true});
  settle();
  EXPECT_EQ(shown().Status, "Delete in progress");
  stop("i-1001");
  stop("i-1002");
  EXPECT_THAT(run<AutoScalingGroupsType>("DescribeAutoScalingGroups", AutoScalingGroupNamesType()).AutoScalingGroups,
              IsEmpty());
  EXPECT_THAT(activities(), IsEmpty());
  ASSERT_THAT(activities(true), SizeIs(4));
  EXPECT_EQ(activities(true).at(0).AutoScalingGroupState, "Deleted");
}

TEST_F(GroupLoop, EnabledMetricsArePublished) {
  create_running(1, 3, 2);
  run<void>("EnableMetricsCollection",
            EnableMetricsCollectionQuery{.AutoScalingGroupName = "workers", .Granularity = "1Minute"});
  Measured measured;
  const std::set<MetricKey> interest;
  with_call([&](Call& call) {
    measured = module_.measure(call, Due{.minute = true, .second = false, .interest = interest});
  });
  ASSERT_THAT(measured.points, SizeIs(13));
  for (const Measurement& point : measured.points) {
    if (point.metric.name == "GroupInServiceInstances") {
      EXPECT_THAT(point.values, ElementsAre(2));
    }
    if (point.metric.name == "GroupMaxSize") {
      EXPECT_THAT(point.values, ElementsAre(3));
    }
  }
}

}  // namespace
}  // namespace services::autoscaling
