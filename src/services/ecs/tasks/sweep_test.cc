// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/tasks/sweep.h"

#include "services/ecs/machines/departure.h"
#include "services/ecs/machines/machines_fixture.h"

namespace services::ecs {
namespace {

using testing::IsEmpty;

class TaskSweep : public MachinesTest {
 protected:
  std::int64_t count(const std::string& table) {
    std::int64_t rows = 0;
    store_->read_now([&](store::Tx& tx) { rows = tx.query("SELECT count(*) FROM " + table).integer(); });
    return rows;
  }
  // One look of the loop, on a snapshot.
  Decision look() {
    Decision decision;
    store_->read_now([&](store::Tx& tx) {
      Call call{tx, caller_, now_, now_, &locals_};
      decision = sweep_loop(kLostAfter).look(call);
    });
    return decision;
  }
  // Until nothing is due; returns when the next look is.
  base::Time sweep() {
    for (int turns = 0; turns < 100; ++turns) {
      const Decision decision = look();
      if (!decision.apply) return *decision.next;
      with_call(decision.apply);
    }
    ADD_FAILURE() << "something stays due";
    return now_;
  }
};

TEST_F(TaskSweep, TheTimeWithoutAServerDoesNotCountForALostMachine) {
  const std::string id = add_machine("a", 1);
  const Task task = run_family("one").tasks->at(0);
  report(task, "RUNNING");
  with_call([&](Call& call) { set_connected(call, model::InstanceId(id), false); });  // as a server that shuts down does
  now_ += std::chrono::hours(3);
  with_call([&](Call& call) { disconnect_all(call.tx, call.now); });
  sweep();
  EXPECT_EQ(*describe(task).lastStatus, "RUNNING");
  now_ += kLostAfter;
  sweep();
  EXPECT_EQ(*describe(task).lastStatus, "STOPPED");
}

TEST_F(TaskSweep, ALaunchIsDeletedWithItsLastTask) {
  add_machine("a", 2);
  const auto tasks = *run_family("one", R"("count":2)").tasks;
  report(tasks[0], "STOPPED");
  now_ += std::chrono::minutes(61);
  sweep();
  EXPECT_EQ(count("ecs_launches"), 1);
  EXPECT_EQ(count("ecs_holds"), 1);
  report(tasks[1], "STOPPED");
  now_ += std::chrono::minutes(61);
  sweep();
  EXPECT_EQ(count("ecs_launches"), 0);
  EXPECT_EQ(count("ecs_holds"), 0);
}

TEST_F(TaskSweep, ALaunchWithATokenIsKeptForADay) {
  add_machine("a", 1);
  report(run_family("one", R"("clientToken":"t")").tasks->at(0), "STOPPED");
  now_ += std::chrono::hours(23);
  const auto next = sweep();
  EXPECT_EQ(count("ecs_launches"), 1);
  EXPECT_LE(next, now_ + std::chrono::hours(1));
  now_ += std::chrono::hours(1);
  sweep();
  EXPECT_EQ(count("ecs_launches"), 0);
  EXPECT_EQ(count("ecs_holds"), 0);
}

TEST_F(TaskSweep, ATokenEndsAfterADayEvenWhileItsTaskRuns) {
  add_machine("a", 2);
  report(run_family("one", R"("clientToken":"t")").tasks->at(0), "RUNNING");
  now_ += std::chrono::hours(25);
  sweep();
  EXPECT_EQ(count("ecs_launches"), 1);
  run_family("one", R"("clientToken":"t")");
  EXPECT_EQ(count("ecs_tasks"), 2);
}

TEST_F(TaskSweep, ALaunchThatPlacedNothingLeavesNothing) {
  add_machine("a", 0);
  EXPECT_THAT(*run_family("one").tasks, IsEmpty());
  EXPECT_EQ(count("ecs_launches"), 0);
}

TEST_F(TaskSweep, ADeregisteredMachineIsDeletedAfterItsTasks) {
  const std::string id = add_machine("a", 1);
  run_family("one");
  run_json(&deregister_container_instance, R"({"containerInstance":")" + id + R"(","force":true})");
  now_ += std::chrono::minutes(59);
  sweep();
  EXPECT_EQ(count("ecs_instances"), 1);
  EXPECT_EQ(count("ecs_stopped_tasks"), 1);
  now_ += std::chrono::minutes(1);
  sweep();
  EXPECT_EQ(count("ecs_tasks"), 0);
  EXPECT_EQ(count("ecs_stopped_tasks"), 0);
  EXPECT_EQ(count("ecs_instances"), 0);
}

// Stopped tasks are deleted in the order in which they stopped, which is that of their times unless the clock is set
// back.
TEST_F(TaskSweep, TasksThatStoppedWhileTheClockWasWrongDoNotKeepOthersFromBeingDeleted) {
  add_machine("a", 0);
  now_ += std::chrono::hours(24 * 365);
  for (int i = 0; i < 20; ++i) {
    const auto tasks = *run_family("plain", R"("count":10)").tasks;
    for (const Task& task : tasks) report(task, "STOPPED");
  }
  now_ -= std::chrono::hours(24 * 365);
  const Task task = run_family("plain").tasks->at(0);
  report(task, "STOPPED");
  sweep();
  EXPECT_EQ(*describe(task).lastStatus, "STOPPED");
  now_ += std::chrono::hours(1);
  sweep();
  EXPECT_EQ(count("ecs_stopped_tasks"), 0);
}

}  // namespace
}  // namespace services::ecs
