// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "services/ec2/ec2_fixture.h"
#include "services/ec2/instances/state_changes.h"

namespace services::ec2 {
namespace {

class MachineReports : public Ec2Test {};

TEST_F(MachineReports, AStartedMachineMakesItsInstanceRun) {
  const std::string id = *launch_one().InstanceId;
  EXPECT_TRUE(woke(state::kMachinesTopic));
  EXPECT_EQ(state_of(id), "pending");
  report(id, "starting", "{\"pid\":7}");
  EXPECT_EQ(state_of(id), "pending");
  EXPECT_EQ(row(id).machine_json, "{\"pid\":7}");
  report(id, "started");
  EXPECT_EQ(state_of(id), "running");
  EXPECT_EQ(received().events, (std::vector<std::string>{"{\"instance-id\":\"" + id + "\",\"state\":\"pending\"}",
                                                         "{\"instance-id\":\"" + id + "\",\"state\":\"running\"}"}));
}

TEST_F(MachineReports, AReportThatComesTwiceOrLateChangesNothing) {
  const std::string id = *launch_one().InstanceId;
  report(id, "started", "m");
  const auto version = row(id).version;
  report(id, "started", "m");
  report(id, "starting", "m");
  report(id, "stopped");
  report(id, "failed", "", "late");
  EXPECT_EQ(row(id).version, version);
  EXPECT_EQ(state_of(id), "running");
  terminate(id);
  report(id, "stopped");
  EXPECT_EQ(state_of(id), "terminated");
  const auto last = row(id).version;
  for (const char* event : {"starting", "started", "stopped", "failed", "lost"}) report(id, event, "n");
  EXPECT_EQ(row(id).version, last);
  EXPECT_EQ(received().terminated.size(), 1u);
  report("i-00000000000000000", "started");  // deleted since
}

TEST_F(MachineReports, TerminatingWaitsForTheProviderAndThenTellsEcs) {
  const std::string id = *launch_one().InstanceId;
  report(id, "started", "m");
  terminate(id);
  EXPECT_EQ(state_of(id), "shutting-down");
  EXPECT_TRUE(woke(state::kMachinesTopic));
  EXPECT_TRUE(received().terminated.empty());
  report(id, "stopped");
  EXPECT_EQ(state_of(id), "terminated");
  EXPECT_TRUE(woke(kTerminatedTopic));
  EXPECT_EQ(received().terminated, std::vector<std::string>{id});
  EXPECT_EQ(received().accounts, std::vector<std::string>{"111111111111/us-east-1"});
  const Instance shown = describe_one(id);
  EXPECT_EQ(shown.StateReason->Code, "Client.UserInitiatedShutdown");
  EXPECT_EQ(shown.StateReason->Message, "Client.UserInitiatedShutdown: User initiated shutdown");
  EXPECT_EQ(shown.StateTransitionReason, "User initiated (2027-01-15 08:00:00 GMT)");
}

TEST_F(MachineReports, AutoScalingLearnsOfEveryChangeOfItsInstances) {
  const std::string id = launch_in_group("workers");
  EXPECT_TRUE(received().changes.empty());
  EXPECT_EQ(row(id).group, "workers");
  report(id, "started", "m");
  run<void>("MachineJoined", shapes::stoker::MachineJoined{id});
  ASSERT_EQ(received().changes.size(), 2u);
  EXPECT_EQ(received().changes[1].group, "workers");
  report(id, "lost", "", "the job ended");
  ASSERT_EQ(received().changes.size(), 3u);
  EXPECT_EQ(received().changes[2].reason, "the job ended");
  // Auto Scaling's instances do not stay as stopped ones.
  EXPECT_EQ(state_of(id), "terminated");
}

TEST_F(MachineReports, AutoScalingIsNotNotifiedOfItsOwnRequests) {
  const std::string id = launch_in_group("workers");
  caller_.service = "autoscaling.amazonaws.com";
  terminate(id);
  caller_.service = "";
  EXPECT_TRUE(received().changes.empty());
  report(id, "stopped");
  EXPECT_EQ(received().changes.size(), 1u);
}

TEST_F(MachineReports, AMachineThatCannotStartEndsTheInstanceWithTheReason) {
  const std::string id = launch_in_group("workers");
  report(id, "failed", "", "sbatch: error: invalid partition");
  const Instance shown = describe_one(id);
  EXPECT_EQ(shown.State->Name, "terminated");
  EXPECT_EQ(shown.StateReason->Code, "Server.InternalError");
  EXPECT_EQ(shown.StateReason->Message, "Server.InternalError: sbatch: error: invalid partition");
  EXPECT_EQ(received().changes[0].reason, "sbatch: error: invalid partition");
}

TEST_F(MachineReports, ALostMachineLeavesAStoppedInstanceThatCanStartAgain) {
  const std::string id = *launch_one().InstanceId;
  report(id, "started", "m");
  report(id, "lost", "", "gone");
  EXPECT_EQ(state_of(id), "stopped");
  EXPECT_EQ(row(id).machine_json, "");
  run<StartInstancesResult>("StartInstances", StartInstancesRequest{.InstanceIds = {id}});
  EXPECT_EQ(state_of(id), "pending");
  EXPECT_TRUE(woke(state::kMachinesTopic));
  report(id, "failed", "", "no machine");
  EXPECT_EQ(state_of(id), "stopped");
}

TEST_F(MachineReports, AnAgentThatJoinsBeforeTheProvidersReportMakesTheInstanceRun) {
  const std::string id = *launch_one().InstanceId;
  run<void>("MachineJoined", shapes::stoker::MachineJoined{id});
  EXPECT_EQ(state_of(id), "running");
  EXPECT_TRUE(row(id).joined_at);
  const auto version = row(id).version;
  report(id, "started");
  run<void>("MachineJoined", shapes::stoker::MachineJoined{id});
  EXPECT_EQ(row(id).version, version);
  run<void>("MachineJoined", shapes::stoker::MachineJoined{"box-a"});  // not an instance of ours
}

TEST_F(MachineReports, ARebootStopsTheMachineAndStartsAnother) {
  const std::string id = *launch_one().InstanceId;
  report(id, "started", "m");
  run<void>("RebootInstances", RebootInstancesRequest{.InstanceIds = {id}});
  EXPECT_EQ(state_of(id), "stopping");
  EXPECT_TRUE(woke(state::kMachinesTopic));
  report(id, "stopped");
  EXPECT_EQ(state_of(id), "pending");
  EXPECT_TRUE(woke(state::kMachinesTopic));
  EXPECT_EQ(row(id).machine_json, "");
}

TEST_F(MachineReports, AnUnknownEventIsRejected) {
  const std::string id = *launch_one().InstanceId;
  EXPECT_EQ(error_of([&] { report(id, "exploded"); }),
            "InvalidParameterValue: Invalid event of a machine: exploded");
}

TEST_F(MachineReports, ATerminatedInstanceIsDeletedAfterAnHour) {
  const std::string id = *launch_one().InstanceId;
  terminate(id);
  report(id, "stopped");
  EXPECT_EQ(take_turn(), now_ + kTerminatedFor);
  EXPECT_EQ(state_of(id), "terminated");
  now_ += kTerminatedFor;
  take_turn();
  EXPECT_EQ(take_turn(), std::nullopt);
  EXPECT_EQ(error_of([&] { describe_one(id); }),
            "InvalidInstanceID.NotFound: The instance ID '" + id + "' does not exist");
}

}  // namespace
}  // namespace services::ec2
