// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/capacity/run_queue.h"

#include "services/ecs/capacity/capacity_fixture.h"
#include "services/ecs/capacity/waiting_task.h"
#include "services/ecs/tasks/explain.h"

namespace services::ecs {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class RunQueue : public CapacityTest {
 protected:
  Task run_waiting(const std::string& family) {
    return run_one(family, R"("tags":[{"key":"stoker:wait","value":"true"}])");
  }
};

TEST_F(RunQueue, WithoutTheTagATaskDoesNotWait) {
  add_machine("box", 1);
  run_one("one");
  EXPECT_THAT(*run_family("one").tasks, IsEmpty());
  EXPECT_THAT(*run_family("one", R"("tags":[{"key":"stoker:wait","value":"false"}])").tasks, IsEmpty());
}

TEST_F(RunQueue, TheOldestTaskIsPlacedFirstAndNoneOvertakesIt) {
  add_machine("box", 4);
  const Task running = run_waiting("four");
  EXPECT_EQ(running.lastStatus, "PENDING") << "there is room";
  const Task large = run_waiting("four");
  EXPECT_EQ(large.lastStatus, "PROVISIONING");
  EXPECT_FALSE(large.capacityProviderName);
  EXPECT_THAT(wakes_, Contains(std::string(kCapacityTopic)));
  const Task small = run_waiting("plain");
  EXPECT_EQ(small.lastStatus, "PROVISIONING") << "it needs no GPU, but is younger";
  run_capacity();
  EXPECT_EQ(status_of(small), "PROVISIONING");
  EXPECT_FALSE(capacity_next_) << "nothing ends the wait";
  now_ += 2 * kWaitsFor;
  run_capacity();
  report(running, "STOPPED");
  EXPECT_THAT(wakes_, Contains(std::string(kCapacityTopic)));
  run_capacity();
  EXPECT_EQ(status_of(large), "PENDING");
  EXPECT_EQ(status_of(small), "PENDING");
}

TEST_F(RunQueue, WhenTheFirstIsStoppedTheNextFollows) {
  add_machine("box", 1);
  const Task large = run_waiting("four"), small = run_waiting("one");
  run_capacity();
  EXPECT_EQ(status_of(small), "PROVISIONING");
  run_json(&stop_task, R"({"task":")" + *large.taskArn + "\"}");
  EXPECT_THAT(wakes_, Contains(std::string(kCapacityTopic)));
  run_capacity();
  EXPECT_EQ(status_of(small), "PENDING");
}

// Its requirements are unknown, so it is not placed.
TEST_F(RunQueue, ATaskWhoseDefinitionIsBrokenDoesNotHoldUpTheNext) {
  add_machine("box", 1);
  const Task broken = run_waiting("four"), small = run_waiting("one");
  store_->write_now([](store::Tx& tx) { tx.exec("DELETE FROM ecs_task_definitions WHERE family = 'four'"); });
  run_capacity();
  EXPECT_EQ(status_of(small), "PENDING");
}

TEST_F(RunQueue, TheQueueAndCapacityProvidersHaveRoomOfTheirOwn) {
  add_machine("box", 1);
  run_one("one");
  const std::string queued = R"("count":10,"tags":[{"key":"stoker:wait","value":"true"}])";
  for (std::int64_t i = 0; i < kMaxQueued / 10; ++i) run_family("one", queued);
  EXPECT_EQ(error_of(&run_task, R"({"taskDefinition":"one",)" + queued + "}"),
            "ClientException: Tasks provisioning capacity limit exceeded.");
  use_provider();
  EXPECT_EQ(run_one("one").lastStatus, "PROVISIONING");
}

TEST_F(RunQueue, ConstraintsHoldForATaskThatIsPlacedLater) {
  add_machine("box", 1);
  add_machine("other", 0);
  run_one("one");
  const Task task = run_one("one", R"("tags":[{"key":"stoker:wait","value":"true"}],
      "placementConstraints":[{"type":"memberOf","expression":"ec2InstanceId == third"}])");
  EXPECT_EQ(task.lastStatus, "PROVISIONING");
  add_machine("second", 1);
  run_capacity();
  EXPECT_EQ(status_of(task), "PROVISIONING");
  add_machine("third", 1);
  run_capacity();
  EXPECT_EQ(status_of(task), "PENDING");
}

TEST_F(RunQueue, TheExplanationHasThePosition) {
  add_machine("box", 1);
  run_one("one");
  run_waiting("one");
  const Task second = run_waiting("one");
  const auto explained = run_json(&stoker_explain, R"({"task":")" + *second.taskArn + "\"}");
  ASSERT_THAT(explained.sentences, SizeIs(testing::Ge(2U)));
  EXPECT_THAT(explained.sentences[0], HasSubstr("position 2 of 2 in the queue"));
  EXPECT_THAT(explained.sentences[1], HasSubstr("is first in the queue"));
}

}  // namespace
}  // namespace services::ecs
