// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "services/ec2/ec2_fixture.h"
#include "services/ec2/instances/instance_health.h"
#include "shapes/ec2/tag.h"

namespace services::ec2 {
namespace {

class Instances : public Ec2Test {
 protected:
  DescribeInstancesResult describe(const std::string& filter, const std::string& value) {
    DescribeInstancesRequest request;
    request.Filters = {{{filter, {{value}}}}};
    return run<DescribeInstancesResult>("DescribeInstances", request);
  }
  std::size_t count(const std::string& filter, const std::string& value) {
    std::size_t instances = 0;
    const auto found = describe(filter, value);
    for (const auto& reservation : *found.Reservations) instances += reservation.Instances->size();
    return instances;
  }
  std::string status_of(const std::string& id) {
    DescribeInstanceStatusRequest request;
    request.InstanceIds = {{id}};
    request.IncludeAllInstances = true;
    const auto result = run<DescribeInstanceStatusResult>("DescribeInstanceStatus", request);
    return *result.InstanceStatuses->front().InstanceStatus->Status;
  }
};

TEST_F(Instances, AnInstanceIsPendingInTheDefaultSubnet) {
  const Instance instance = launch_one();
  EXPECT_EQ(instance.State->Name, "pending");
  EXPECT_EQ(instance.Placement->AvailabilityZone, "us-east-1a");
  EXPECT_EQ(instance.SecurityGroups->size(), 1u);
  EXPECT_EQ(instance.SecurityGroups->front().GroupName, "default");
  EXPECT_TRUE(instance.SubnetId->starts_with("subnet-"));
}

TEST_F(Instances, ARequestThatCannotBeHonouredIsRejectedByName) {
  const auto error = [&](auto change) {
    RunInstancesRequest request = launch_request();
    change(request);
    return error_of([&] { launch(request); });
  };
  EXPECT_EQ(error([](auto& r) { r.InstanceMarketOptions.emplace(); }),
            "UnsupportedOperation: Stoker does not support the parameter InstanceMarketOptions.");
  EXPECT_EQ(error([](auto& r) { r.Placement.emplace().HostId = "h-1"; }),
            "UnsupportedOperation: Stoker does not support the parameter Placement.HostId.");
  EXPECT_EQ(error([](auto& r) { r.HibernationOptions = {true}; }),
            "UnsupportedOperation: Stoker does not support the parameter HibernationOptions.");
  EXPECT_EQ(error([](auto& r) { r.InstanceType = "x9.huge"; }),
            "InvalidParameterValue: Invalid value 'x9.huge' for InstanceType.");
  EXPECT_EQ(error([](auto& r) { r.ImageId.reset(); }),
            "MissingParameter: The request must contain the parameter ImageId");
  EXPECT_EQ(error([](auto& r) { r.ImageId = "ubuntu"; }),
            "InvalidAMIID.Malformed: Invalid id: \"ubuntu\" (expecting \"ami-...\")");
  EXPECT_EQ(error([](auto& r) { r.ImageId = "ami-12"; }), "InvalidAMIID.Malformed: Invalid id: \"ami-12\"");
  EXPECT_EQ(error([](auto& r) { r.ImageId = "resolve:ssm:/image"; }),
            "UnsupportedOperation: Stoker does not support the parameter ImageId with the value resolve:ssm:/image.");
  EXPECT_EQ(error([](auto& r) { r.KeyName = "k"; }), "InvalidKeyPair.NotFound: The key pair 'k' does not exist");
  EXPECT_EQ(error([](auto& r) { r.SubnetId = "subnet-1"; }),
            "InvalidSubnetID.NotFound: The subnet ID 'subnet-1' does not exist");
  EXPECT_EQ(error([](auto& r) { r.UserData = "!"; }),
            "InvalidParameterValue: Invalid BASE64 encoding of user data.");
  EXPECT_EQ(error([](auto& r) { r.UserData = base::to_base64(std::string(16385, 'x')); }),
            "InvalidParameterValue: User data is limited to 16384 bytes");
  EXPECT_EQ(error([](auto& r) { r.DryRun = true; }),
            "DryRunOperation: Request would have succeeded, but DryRun flag is set.");
  EXPECT_EQ(error([](auto& r) { r.TagSpecifications = {{{"instance", {{{"aws:autoscaling:groupName", "g"}}}}}}; }),
            "InvalidParameterValue: Tag keys starting with 'aws:' are reserved for internal use");
  EXPECT_TRUE(describe("instance-state-name", "*").Reservations->empty());
}

TEST_F(Instances, UserDataBecomesSettingsOfTheAgent) {
  RunInstancesRequest request = launch_request();
  request.UserData = base::to_base64("#!/bin/bash\necho ECS_CLUSTER=gpu >> /etc/ecs/ecs.config\n");
  const std::string id = *launch(request).Instances->front().InstanceId;
  EXPECT_NE(row(id).agent_json.find("\"cluster\":\"gpu\""), std::string::npos) << row(id).agent_json;
}

TEST_F(Instances, AClientTokenLaunchesOnce) {
  RunInstancesRequest request = launch_request(2);
  request.ClientToken = "once";
  const Reservation first = launch(request);
  EXPECT_EQ(launch(request).ReservationId, first.ReservationId);
  EXPECT_EQ(count("client-token", "once"), 2u);
  request.InstanceType = "g5.xlarge";
  EXPECT_EQ(error_of([&] { launch(request); }).substr(0, 27), "IdempotentParameterMismatch");
}

TEST_F(Instances, FiltersMatchWildcardsAndTags) {
  RunInstancesRequest request = launch_request(2);
  request.TagSpecifications = {{{"instance", {{{"team", "vision"}}}}}};
  launch(request);
  launch_one();
  EXPECT_EQ(count("tag:team", "vis*"), 2u);
  EXPECT_EQ(count("tag-key", "team"), 2u);
  EXPECT_EQ(count("instance-type", "g4dn.?large"), 3u);
  EXPECT_EQ(count("instance-state-code", "0"), 3u);
  EXPECT_EQ(count("availability-zone", "us-east-1b"), 0u);
  EXPECT_EQ(error_of([&] { count("colour", "red"); }), "InvalidParameterValue: The filter 'colour' is invalid");
}

TEST_F(Instances, PagesContainEveryInstanceOnce) {
  launch(launch_request(12));
  DescribeInstancesRequest request;
  request.MaxResults = 5;
  std::vector<std::string> ids;
  do {
    const auto page = run<DescribeInstancesResult>("DescribeInstances", request);
    for (const auto& instance : *page.Reservations->front().Instances) ids.push_back(*instance.InstanceId);
    request.NextToken = page.NextToken;
  } while (request.NextToken);
  EXPECT_EQ(ids.size(), 12u);
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
}

TEST_F(Instances, TerminationProtectionIsHonoured) {
  const std::string id = *launch_one().InstanceId;
  ModifyInstanceAttributeRequest change;
  change.InstanceId = id;
  change.DisableApiTermination = {true};
  run<void>("ModifyInstanceAttribute", change);
  EXPECT_EQ(error_of([&] { terminate(id); }),
            "OperationNotPermitted: The instance '" + id +
                "' may not be terminated. Modify its 'disableApiTermination' instance attribute and try again.");
  change.DisableApiTermination = {false};
  run<void>("ModifyInstanceAttribute", change);
  terminate(id);
  EXPECT_EQ(state_of(id), "shutting-down");
}

TEST_F(Instances, TheTypeOfAStoppedInstanceCanChange) {
  const std::string id = *launch_one().InstanceId;
  report(id, "started", "m");
  ModifyInstanceAttributeRequest change;
  change.InstanceId = id;
  change.InstanceType = {"g5.xlarge"};
  EXPECT_EQ(error_of([&] { run<void>("ModifyInstanceAttribute", change); }),
            "IncorrectInstanceState: The instance '" + id + "' is not in the 'stopped' state.");
  const auto stop = run<StopInstancesResult>("StopInstances", StopInstancesRequest{.InstanceIds = {id}});
  EXPECT_EQ(stop.StoppingInstances->front().PreviousState->Name, "running");
  EXPECT_EQ(stop.StoppingInstances->front().CurrentState->Name, "stopping");
  EXPECT_TRUE(woke(state::kMachinesTopic));
  report(id, "stopped");
  run<void>("ModifyInstanceAttribute", change);
  EXPECT_EQ(describe_one(id).InstanceType, "g5.xlarge");
}

TEST_F(Instances, OnlyStatesThatAllowItChange) {
  const std::string id = *launch_one().InstanceId;
  EXPECT_EQ(error_of([&] { run<StopInstancesResult>("StopInstances", StopInstancesRequest{.InstanceIds = {id}}); }),
            "IncorrectInstanceState: The instance '" + id + "' is not in a state from which it can be stopped.");
  terminate(id);
  EXPECT_EQ(error_of([&] { run<StartInstancesResult>("StartInstances", StartInstancesRequest{.InstanceIds = {id}}); }),
            "IncorrectInstanceState: The instance '" + id + "' is not in a state from which it can be started.");
  EXPECT_EQ(error_of([&] { terminate("i-1"); }), "InvalidInstanceID.Malformed: Invalid id: \"i-1\"");
}

TEST_F(Instances, AnInstanceIsOkOnceItsAgentHasJoinedAndImpairedIfItDoesNot) {
  const std::string id = *launch_one().InstanceId;
  EXPECT_EQ(status_of(id), "not-applicable");
  report(id, "started", "m");
  EXPECT_EQ(status_of(id), "initializing");
  now_ += kJoinTime;
  EXPECT_EQ(status_of(id), "impaired");
  run<void>("MachineJoined", shapes::stoker::MachineJoined{id});
  EXPECT_EQ(status_of(id), "ok");
}

TEST_F(Instances, AnAgentThatStaysAwayImpairsItsInstance) {
  state::Ec2Instance running;
  running.joined_at = now_;
  EXPECT_EQ(check_health(running, now_, now_).health, Health::Ok);
  EXPECT_EQ(check_health(running, now_, now_ + kReconnectTime).health, Health::Impaired);
  EXPECT_EQ(check_health(running, std::nullopt, now_ + kReconnectTime).health, Health::Ok);
}

TEST_F(Instances, AutoScalingsTagMovesAnInstanceInAndOutOfAGroup) {
  const std::string id = *launch_one().InstanceId;
  const std::vector<Tag> tags{{"aws:autoscaling:groupName", "workers"}};
  EXPECT_EQ(error_of([&] { run<void>("CreateTags", CreateTagsRequest{.Resources = {id}, .Tags = tags}); }),
            "InvalidParameterValue: Tag keys starting with 'aws:' are reserved for internal use");
  caller_.service = "autoscaling.amazonaws.com";
  run<void>("CreateTags", CreateTagsRequest{.Resources = {id}, .Tags = tags});
  EXPECT_EQ(row(id).group, "workers");
  run<void>("DeleteTags", DeleteTagsRequest{.Resources = {id}, .Tags = tags});
  EXPECT_EQ(row(id).group, "");
}

TEST_F(Instances, GaugesCountInstancesByState) {
  launch(launch_request(3));
  std::vector<Gauge> gauges;
  with_call([&](Call& call) { gauges = module_.gauges(call); });
  ASSERT_EQ(gauges.size(), 1u);
  EXPECT_EQ(gauges[0].labels.at("state"), "pending");
  EXPECT_EQ(gauges[0].value, 3);
}

}  // namespace
}  // namespace services::ec2
