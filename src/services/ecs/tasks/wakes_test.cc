// SPDX-License-Identifier: Apache-2.0
// Which topics each call wakes: agents, log readers and the sweep wait for nothing else.
#include "services/ecs/machines/departure.h"
#include "services/ecs/machines/machines_fixture.h"
#include "services/ecs/tasks/sweep.h"
#include "state/machine.h"
#include "state/task.h"

namespace services::ecs {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

class Wakes : public MachinesTest {
 protected:
  static std::string topic_of(const Task& task) {
    return state::task_topic(model::TaskId(task.taskArn->substr(task.taskArn->rfind('/') + 1)));
  }
  static std::string topic_of(const std::string& machine) { return state::instance_topic(model::InstanceId(machine)); }
  static std::string quoted(const Task& task) { return "\"" + *task.taskArn + "\""; }

  const std::string machine_ = add_machine("a", 2);
};

TEST_F(Wakes, RunTaskWakesTheMachinesOfItsTasks) {
  const std::string other = add_machine("b", 2);
  run_family("one", R"("count":4)");
  EXPECT_THAT(wakes_, UnorderedElementsAre(topic_of(machine_), topic_of(other)));
}

TEST_F(Wakes, RunTaskThatPlacesNothingWakesNobody) {
  run_family("four");
  EXPECT_THAT(wakes_, IsEmpty());
}

TEST_F(Wakes, StartTaskWakesItsMachine) {
  add_machine("b", 2);
  run_json(&start_task, R"({"taskDefinition":"one","containerInstances":[")" + machine_ + "\"]}");
  EXPECT_THAT(wakes_, ElementsAre(topic_of(machine_)));
}

TEST_F(Wakes, StopTaskWakesItsMachineAndWhoWaitsForTheTask) {
  const Task task = run_family("one").tasks->at(0);
  run_json(&stop_task, R"({"task":)" + quoted(task) + "}");
  EXPECT_THAT(wakes_, UnorderedElementsAre(topic_of(machine_), topic_of(task)));
  run_json(&stop_task, R"({"task":)" + quoted(task) + "}");
  EXPECT_THAT(wakes_, IsEmpty()) << "nothing has changed";
}

TEST_F(Wakes, EveryReportOfATaskWakesWhoWaitsForIt) {
  const Task task = run_family("one").tasks->at(0);
  report(task, "PENDING", R"(,"pullStartedAt":1800000000)");
  EXPECT_THAT(wakes_, ElementsAre(topic_of(task)));
  run_json(&submit_container_state_change, R"({"containerName":"c","status":"RUNNING","task":)" + quoted(task) + "}");
  EXPECT_THAT(wakes_, ElementsAre(topic_of(task)));
  report(task, "RUNNING");
  EXPECT_THAT(wakes_, ElementsAre(topic_of(task)));
  report(task, "STOPPED");
  EXPECT_THAT(wakes_, ElementsAre(topic_of(task)));
  report(task, "STOPPED");
  EXPECT_THAT(wakes_, IsEmpty()) << "a repeated report changes nothing";
}

TEST_F(Wakes, TheEndOfATaskWakesWhoUsesItsKey) {
  const Task task = run_family("one").tasks->at(0);
  std::string key;
  with_call([&](Call& call) {
    key = work_for(call, admit(call, "default", machine_), {}).tasks.at(0).roleCredentials->accessKeyId;
  });
  report(task, "STOPPED");
  EXPECT_THAT(wakes_, Contains(state::key_topic(key)));
}

TEST_F(Wakes, ADeliveryWakesWhoWaitsForTheTask) {
  const Task task = run_family("one").tasks->at(0);
  with_call([&](Call& call) { set_delivered(call, admit(call, "default", machine_), {*task.taskArn}); });
  EXPECT_THAT(wakes_, ElementsAre(topic_of(task)));
}

TEST_F(Wakes, AChangeOfHealthWakesWhoWaitsForTheTask) {
  const Task task = run_family("one").tasks->at(0);
  shapes::agent::PublishHealthRequest health;
  health.tasks = {{*task.taskArn, {{"c", "HEALTHY"}}}};
  const auto publish = [&](Call& call) { store_health(call, admit(call, "default", machine_), health); };
  with_call(publish);
  EXPECT_THAT(wakes_, ElementsAre(topic_of(task)));
  with_call(publish);
  EXPECT_THAT(wakes_, IsEmpty());
}

TEST_F(Wakes, DeregistrationWakesTheAgentAndWhoWaitsForItsTasks) {
  const Task task = run_family("one").tasks->at(0);
  run_json(&deregister_container_instance, R"({"force":true,"containerInstance":")" + machine_ + "\"}");
  EXPECT_THAT(wakes_, UnorderedElementsAre(topic_of(machine_), topic_of(task)));
}

TEST_F(Wakes, ANewRegistrationOfAMachineWakesTheAgentOfTheFormerOne) {
  with_call([&](Call& call) { set_connected(call, model::InstanceId(machine_), false); });
  run_json(&register_container_instance, R"({"instanceIdentityDocument":"{\"instanceId\":\"a\"}"})");
  EXPECT_THAT(wakes_, ElementsAre(topic_of(machine_)));
}

TEST_F(Wakes, ADisconnectedMachineWakesTheSweep) {
  with_call([&](Call& call) { set_connected(call, model::InstanceId(machine_), false); });
  EXPECT_THAT(wakes_, ElementsAre(std::string(state::kTaskSweepTopic)));
  with_call([&](Call& call) { set_connected(call, model::InstanceId(machine_), true); });
  EXPECT_THAT(wakes_, IsEmpty());
}

TEST_F(Wakes, TasksOfALostMachineWakeWhoWaitsForThem) {
  const Task task = run_family("one").tasks->at(0);
  with_call([&](Call& call) { set_connected(call, model::InstanceId(machine_), false); });
  now_ += kLostAfter;
  with_call([&](Call& call) { sweep_tasks(call, kLostAfter); });
  EXPECT_THAT(wakes_, ElementsAre(topic_of(task)));
}

// A drained machine keeps its tasks, and nobody waits for it to become ACTIVE again.
TEST_F(Wakes, DrainingAMachineWakesNobody) {
  run_json(&update_container_instances_state,
           R"({"status":"DRAINING","containerInstances":[")" + machine_ + "\"]}");
  EXPECT_THAT(wakes_, IsEmpty());
}

}  // namespace
}  // namespace services::ecs
