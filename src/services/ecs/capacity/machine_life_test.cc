// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/capacity/machine_life.h"

#include "services/ecs/capacity/capacity_fixture.h"
#include "services/ecs/capacity/drain.h"

namespace services::ecs {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

class MachineLifeTest : public CapacityTest {
 protected:
  void terminating(const std::string& id) {
    with_call([&](Call& call) {
      machine_terminating(call, {id, "p-group", "ecs-managed-draining-termination-hook", "token"});
    });
  }
};

TEST_F(MachineLifeTest, AnEmptyInstanceIsReleasedAtOnce) {
  use_provider();
  const std::string machine = join_instance("i-1");
  terminating("i-1");
  EXPECT_THAT(wakes_, Contains(std::string(kCapacityTopic)));
  EXPECT_EQ(describe_machine(machine).status, "DRAINING");
  EXPECT_THAT(scaling_.completed, IsEmpty());
  run_capacity();
  EXPECT_THAT(scaling_.completed, ElementsAre("i-1 CONTINUE"));
  run_capacity();
  EXPECT_THAT(scaling_.completed, SizeIs(1));
}

TEST_F(MachineLifeTest, AnInstanceThatNeverJoinedIsReleased) {
  use_provider();
  terminating("i-9");
  run_capacity();
  EXPECT_THAT(scaling_.completed, ElementsAre("i-9 CONTINUE"));
}

TEST_F(MachineLifeTest, AStandaloneTaskFinishesBeforeItsInstanceIsReleased) {
  use_provider();
  join_instance("i-1");
  const Task task = run_one();
  terminating("i-1");
  run_capacity();
  EXPECT_EQ(describe(task).desiredStatus, "RUNNING");
  EXPECT_THAT(scaling_.completed, IsEmpty());
  EXPECT_EQ(capacity_next_, now_ + kExtendEvery);
  now_ += kExtendEvery;
  run_capacity();
  EXPECT_THAT(scaling_.extended, ElementsAre("i-1"));
  report(task, "STOPPED");
  EXPECT_THAT(wakes_, Contains(std::string(kCapacityTopic)));
  run_capacity();
  EXPECT_THAT(scaling_.completed, ElementsAre("i-1 CONTINUE"));
}

TEST_F(MachineLifeTest, ATaskOfAServiceIsReplacedFirst) {
  use_provider();
  join_instance("i-1");
  create(R"({"serviceName":"s","taskDefinition":"plain","desiredCount":1})");
  run_until_quiet("s");
  join_instance("i-2");
  terminating("i-1");
  settle();
  EXPECT_THAT(tasks("s"), SizeIs(2));
  run_until_quiet("s");
  run_capacity();
  EXPECT_THAT(wanted_tasks("s"), SizeIs(1));
  EXPECT_THAT(scaling_.completed, ElementsAre("i-1 CONTINUE"));
}

TEST_F(MachineLifeTest, ADrainEndsAfterTwoDays) {
  const Drain drain{.action = {}, .started_at = now_, .extended_at = now_ + kLongestDrain};
  EXPECT_EQ(next_step(drain, false, now_), DrainStep::None);
  EXPECT_EQ(next_step(drain, true, now_), DrainStep::Complete);
  EXPECT_EQ(next_step(drain, false, now_ + kLongestDrain), DrainStep::Complete);
  EXPECT_EQ(next_step_at(drain), now_ + kLongestDrain);
}

TEST_F(MachineLifeTest, ATerminatedInstanceIsDeregisteredWithItsTasks) {
  use_provider();
  const std::string machine = join_instance("i-1");
  const Task task = run_one();
  with_call([](Call& call) { machine_terminated(call, {"i-1"}); });
  EXPECT_EQ(describe_machine(machine).status, "INACTIVE");
  EXPECT_EQ(describe(task).stoppedReason, "Host EC2 (instance i-1) terminated.");
}

TEST_F(MachineLifeTest, TheRegionIsTheInstancesOwnWhoeverCalls) {
  use_provider();
  const std::string machine = join_instance("i-1");
  caller_.region = "";
  terminating("i-1");
  run_capacity();
  EXPECT_THAT(scaling_.completed, ElementsAre("i-1 CONTINUE"));
  with_call([](Call& call) { machine_terminated(call, {"i-1"}); });
  caller_.region = "us-east-1";
  EXPECT_EQ(describe_machine(machine).status, "INACTIVE");
}

TEST_F(MachineLifeTest, TheNameOfAnInstanceIsForTheKeyOfItsProvider) {
  use_provider();
  add_instance("i-1", "p-group");
  const std::string root = caller_.access_key;
  const auto become_machine = [&](const std::optional<std::string>& name) {
    state::Key key = state::new_machine_key(caller_.account, now_);
    key.machine = name;
    store_->write_now([&](store::Tx& tx) { state::insert_key(tx, key); });
    caller_.access_key = key.id;
    caller_.machine = true;
  };
  become_machine(std::nullopt);
  EXPECT_THAT(error_of(&register_container_instance, R"({"instanceIdentityDocument":"{\"instanceId\":\"i-1\"}"})"),
              testing::HasSubstr("The EC2 instance i-1 has a key of its own"));
  EXPECT_THAT(scaling_.joined, IsEmpty());
  become_machine("i-1");
  const std::string machine = add_machine("i-1", 0);
  caller_.access_key = root;
  caller_.machine = false;
  EXPECT_EQ(describe_machine(machine).capacityProviderName, "p");
}

TEST_F(MachineLifeTest, InstancesWithTasksAreProtectedAndThoseWithDaemonsAreNot) {
  use_provider(R"("managedTerminationProtection":"ENABLED")");
  join_instance("i-1");
  run_capacity();
  EXPECT_THAT(scaling_.protections, ElementsAre(Pair("i-1", false)));
  create(R"({"serviceName":"d","taskDefinition":"plain","schedulingStrategy":"DAEMON"})");
  run_capacity();
  EXPECT_THAT(scaling_.protections, SizeIs(1));
  const Task task = run_one();
  EXPECT_THAT(wakes_, Contains(std::string(kCapacityTopic)));
  run_capacity();
  EXPECT_THAT(scaling_.protections, ElementsAre(Pair("i-1", false), Pair("i-1", true)));
  report(task, "STOPPED");
  run_capacity();
  EXPECT_THAT(scaling_.protections, SizeIs(3));
  EXPECT_THAT(scaling_.protections.back(), Pair("i-1", false));
}

}  // namespace
}  // namespace services::ecs
