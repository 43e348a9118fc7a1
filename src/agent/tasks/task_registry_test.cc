// SPDX-License-Identifier: Apache-2.0
#include "agent/tasks/task_registry.h"

#include <fstream>

#include "agent/tasks/test_machine.h"

namespace agent {
namespace {

using TaskRegistryTest = MachineTest;
using Strings = std::vector<std::string>;

TestDriver::Box stray(drivers::Phase phase,
                      std::string task_arn = "arn:aws:ecs:us-east-1:000000000000:task/default/unknown",
                      std::string name = "stray") {
  TestDriver::Box box;
  box.name = std::move(name);
  box.task_arn = std::move(task_arn);
  box.phase = phase;
  return box;
}

boost::asio::awaitable<void> store_result(boost::asio::awaitable<bool> work, bool& into) {
  bool result = co_await std::move(work);
  into = result;
}

TEST_F(TaskRegistryTest, ATaskThatArrivesTwiceStartsOnce) {
  auto task = test_task("t", {test_container("main")});
  tasks_->accept(task);
  tasks_->accept(task);
  until([&] { return driver_.runs("main"); });
  settle();
  EXPECT_EQ(std::ranges::count(driver_.events, "start main"), 1);
}

TEST_F(TaskRegistryTest, TheNextAgentAdoptsARunningContainer) {
  auto task = test_task("t", {test_container("main")});
  task.associations = {{"gpu", "GPU-a", {"main"}, {}}};
  tasks_->accept(task);
  until([&] { return statuses() == Strings{"RUNNING"}; });
  end_agent();
  EXPECT_TRUE(driver_.runs("main"));
  begin_agent();
  run(tasks_->adopt());
  settle();
  EXPECT_EQ(machine_->ledger.holders("GPU-a"), Strings{task.arn});
  EXPECT_EQ(statuses(), Strings{"RUNNING"});
  EXPECT_EQ(std::ranges::count(driver_.events, "start main"), 1);
  driver_.exit("main", 4);
  until([&] { return statuses() == Strings{"RUNNING", "STOPPED"}; });
  EXPECT_EQ(container(task, 0).exitCode, 4);
}

TEST_F(TaskRegistryTest, AnExitDuringTheAgentsAbsenceIsReportedWithItsCode) {
  auto task = test_task("t", {test_container("main")});
  tasks_->accept(task);
  until([&] { return statuses() == Strings{"RUNNING"}; });
  end_agent();
  driver_.exit("main", 5);
  begin_agent();
  run(tasks_->adopt());
  until([&] { return statuses() == Strings{"RUNNING", "STOPPED"}; });
  EXPECT_EQ((*reports_[1].containers)[0].exitCode, 5);
}

TEST_F(TaskRegistryTest, ARemovedContainerStopsItsTaskWithThatReason) {
  auto task = test_task("t", {test_container("main")});
  tasks_->accept(task);
  until([&] { return statuses() == Strings{"RUNNING"}; });
  end_agent();
  driver_.boxes.clear();
  begin_agent();
  run(tasks_->adopt());
  until([&] { return statuses() == Strings{"RUNNING", "STOPPED"}; });
  EXPECT_EQ((*reports_[1].containers)[0].reason, kContainerGone);
}

TEST_F(TaskRegistryTest, ACreatedContainerWithoutASavedIdIsAdoptedAndStarted) {
  auto task = test_task("t", {test_container("main")});
  store_->save(new_record(task));
  TestDriver::Box box;
  box.name = "main";
  box.task_arn = task.arn;
  driver_.boxes["box-9"] = box;
  run(tasks_->adopt());
  until([&] { return driver_.runs("main"); });
  EXPECT_EQ(container(task, 0).id, "box-9");
  EXPECT_FALSE(driver_.happened("create main"));
}

TEST_F(TaskRegistryTest, AContainerOfAnUnknownTaskIsStoppedAndRemoved) {
  TestDriver::Box box;
  box.name = "stray";
  box.task_arn = "arn:aws:ecs:us-east-1:000000000000:task/default/unknown";
  box.phase = drivers::Phase::Running;
  driver_.boxes["box-9"] = box;
  run(tasks_->adopt());
  EXPECT_TRUE(driver_.boxes.empty());
  EXPECT_LT(driver_.order("stop stray"), driver_.order("remove stray"));
}

TEST_F(TaskRegistryTest, TheNextAgentContinuesToStopATask) {
  driver_.endless_stops = {"main"};
  auto task = test_task("t", {test_container("main")});
  tasks_->accept(task);
  until([&] { return driver_.runs("main"); });
  tasks_->stop(task.arn, "user request");
  until([&] { return driver_.happened("stop main"); });
  end_agent();
  EXPECT_TRUE(driver_.runs("main"));
  driver_.endless_stops.clear();
  begin_agent();
  run(tasks_->adopt());
  until([&] { return ended(task); });
  EXPECT_EQ(record(task).reason, "user request");
}

TEST_F(TaskRegistryTest, AWaitingTaskDoesNotGetTheGpuOfAnAdoptedTask) {
  auto holder = test_task("z", {test_container("holder")}), waiter = test_task("a", {test_container("waiter")});
  holder.associations = {{"gpu", "GPU-a", {"holder"}, {}}};
  waiter.associations = {{"gpu", "GPU-a", {"waiter"}, {}}};
  tasks_->accept(holder);
  until([&] { return driver_.runs("holder"); });
  tasks_->accept(waiter);
  settle();
  end_agent();
  begin_agent();
  run(tasks_->adopt());
  settle();
  EXPECT_EQ(machine_->ledger.holders("GPU-a"), Strings{holder.arn});
  EXPECT_FALSE(driver_.happened("create waiter"));
}

TEST_F(TaskRegistryTest, NoTaskStartsBeforeOrphanedContainersAreRemoved) {
  auto task = test_task("t", {test_container("main")});
  task.associations = {{"gpu", "GPU-a", {"main"}, {}}};
  store_->save(new_record(task));
  driver_.boxes["box-9"] = stray(drivers::Phase::Running);
  driver_.stop_errors = {"stray"};
  Coroutines adopting(io_.get_executor());
  adopting.spawn("adopt", tasks_->adopt());
  until([&] { return std::ranges::count(driver_.events, "stop stray") > 2; });
  EXPECT_FALSE(driver_.happened("create main"));
  driver_.stop_errors.clear();
  until([&] { return driver_.runs("main"); });
  EXPECT_FALSE(driver_.runs("stray"));
  run(adopting.ended());
}

TEST_F(TaskRegistryTest, TheAgentCanStopWhileItRemovesAnOrphanedContainer) {
  driver_.boxes["box-9"] = stray(drivers::Phase::Running);
  driver_.stop_errors = {"stray"};
  Coroutines adopting(io_.get_executor());
  adopting.spawn("adopt", tasks_->adopt());
  until([&] { return driver_.happened("stop stray"); });
  machine_->stopping = true;
  adopting.cancel();
  run(tasks_->detach());
  run(adopting.ended());
}

TEST_F(TaskRegistryTest, ARunningContainerWithoutASavedStartIsStoppedWithItsTask) {
  auto task = test_task("t", {test_container("main")});
  TaskRecord known = new_record(task);
  known.desired = kStopped;
  known.containers[0].id = "box-9";
  store_->save(known);
  driver_.boxes["box-9"] = stray(drivers::Phase::Running, task.arn, "main");
  run(tasks_->adopt());
  until([&] { return ended(task); });
  EXPECT_FALSE(driver_.runs("main"));
  EXPECT_EQ(container(task, 0).exitCode, 143);
}

// The engine may still have the start that an agent requested before it was killed.
TEST_F(TaskRegistryTest, AStoppedTaskHoldsItsGpuUntilItsCreatedContainerIsRemoved) {
  auto task = test_task("t", {test_container("main")});
  task.associations = {{"gpu", "GPU-a", {"main"}, {}}};
  TaskRecord known = new_record(task);
  known.desired = kStopped;
  known.containers[0].id = "box-9";
  store_->save(known);
  driver_.boxes["box-9"] = stray(drivers::Phase::Created, task.arn, "main");
  driver_.endless_removes = true;
  run(tasks_->adopt());
  until([&] { return driver_.happened("remove main"); });
  EXPECT_FALSE(ended(task));
  EXPECT_EQ(machine_->ledger.holders("GPU-a"), Strings{task.arn});
  driver_.endless_removes = false;
  driver_.exit("main", 0);
  until([&] { return ended(task); });
  EXPECT_TRUE(driver_.boxes.empty());
}

TEST_F(TaskRegistryTest, AStoppedTaskHoldsItsGpuUntilAContainerWithARequestedRestartIsRemoved) {
  auto task = test_task("t", {test_container("main")});
  task.containers[0].restartPolicy.emplace().enabled = true;
  task.associations = {{"gpu", "GPU-a", {"main"}, {}}};
  TaskRecord known = new_record(task);
  known.desired = kStopped;
  known.containers[0].id = "box-9";
  known.containers[0].status = kRunning;
  store_->save(known);
  driver_.boxes["box-9"] = stray(drivers::Phase::Exited, task.arn, "main");
  driver_.boxes["box-9"].exit.code = 4;
  driver_.endless_removes = true;
  run(tasks_->adopt());
  until([&] { return driver_.happened("remove main"); });
  EXPECT_EQ(machine_->ledger.holders("GPU-a"), Strings{task.arn});
  driver_.endless_removes = false;
  driver_.exit("main", 0);
  until([&] { return ended(task); });
  EXPECT_EQ(container(task, 0).exitCode, 4);
}

TEST_F(TaskRegistryTest, AnExitedContainerWithoutASavedStartIsNotStartedAgain) {
  auto task = test_task("t", {test_container("main")});
  TaskRecord known = new_record(task);
  known.containers[0].id = "box-9";
  store_->save(known);
  driver_.boxes["box-9"] = stray(drivers::Phase::Exited, task.arn, "main");
  driver_.boxes["box-9"].exit.code = 7;
  run(tasks_->adopt());
  until([&] { return ended(task); });
  EXPECT_FALSE(driver_.happened("start main"));
  EXPECT_EQ(container(task, 0).exitCode, 7);
}

TEST_F(TaskRegistryTest, AContainerThatTheRecordDoesNotNameIsRemovedAndTheTaskContinues) {
  auto task = test_task("t", {test_container("main")});
  tasks_->accept(task);
  until([&] { return statuses() == Strings{"RUNNING"}; });
  end_agent();
  driver_.boxes["box-9"] = stray(drivers::Phase::Running, task.arn, "another");
  begin_agent();
  run(tasks_->adopt());
  EXPECT_FALSE(driver_.boxes.contains("box-9"));
  EXPECT_FALSE(driver_.happened("clean_up " + task.arn)) << "the task still needs its networks and volumes";
  EXPECT_TRUE(driver_.runs("main"));
}

TEST_F(TaskRegistryTest, ARunningContainerThatIsRecordedAsStoppedIsStopped) {
  auto task = test_task("t", {test_container("main")});
  TaskRecord known = new_record(task);
  known.desired = known.containers[0].status = known.reported = kStopped;
  known.containers[0].id = "box-9";
  known.executionStoppedAt = clock_.now();
  store_->save(known);
  driver_.boxes["box-9"] = stray(drivers::Phase::Running, task.arn, "main");
  run(tasks_->adopt());
  EXPECT_FALSE(driver_.runs("main"));
}

TEST_F(TaskRegistryTest, WhileTheServerIsDownATaskContinuesAndOnlyItsEndIsReportedLater) {
  server_down_ = true;
  auto task = test_task("t", {test_container("main")});
  tasks_->accept(task);
  until([&] { return driver_.runs("main"); });
  driver_.exit("main", 0);
  until([&] { return ended(task); });
  end_agent();
  server_down_ = false;
  begin_agent();
  run(tasks_->adopt());
  until([&] { return record(task).reported == "STOPPED"; });
  EXPECT_EQ(statuses(), Strings{"STOPPED"});
}

TEST_F(TaskRegistryTest, APermanentlyRejectedReportIsNotRepeated) {
  error_code_ = "ClientException";
  auto task = test_task("t", {test_container("main")});
  tasks_->accept(task);
  until([&] { return record(task).reported == "RUNNING"; });
  settle();
  EXPECT_EQ(statuses(), Strings{"RUNNING"});
}

TEST_F(TaskRegistryTest, AReportIsRepeatedWhileTheServerFails) {
  error_code_ = "ServerException";
  auto task = test_task("t", {test_container("main")});
  tasks_->accept(task);
  until([&] { return reports_.size() >= 3; });
  error_code_.clear();
  until([&] { return record(task).reported == "RUNNING"; });
}

TEST_F(TaskRegistryTest, ALostTaskIsReportedAsStopped) {
  tasks_->accept_lost("arn:aws:ecs:us-east-1:000000000000:task/default/lost", "cluster", "no record of this task");
  until([&] { return statuses() == Strings{"STOPPED"}; });
  EXPECT_EQ(reports_[0].reason, "no record of this task");
}

TEST_F(TaskRegistryTest, StopAllStopsEveryTask) {
  tasks_->accept(test_task("t1", {test_container("one")}));
  tasks_->accept(test_task("t2", {test_container("two")}));
  until([&] { return driver_.runs("one") && driver_.runs("two"); });
  run(tasks_->stop_all("deregistered"));
  EXPECT_TRUE(tasks_->running().empty());
  EXPECT_FALSE(driver_.runs("one") || driver_.runs("two"));
}

TEST_F(TaskRegistryTest, AClosedMachineStopsItsTasksInTimeRejectsNewOnesAndLeavesNoContainer) {
  auto container = test_container("main");
  container.stopTimeout = 100;
  auto task = test_task("t", {container}), late = test_task("late", {test_container("late")});
  tasks_->accept(task);
  until([&] { return driver_.runs("main"); });
  machine_->longest_stop = std::chrono::seconds(3);
  tasks_->close("The machine shuts down.");
  tasks_->accept(late);
  until([&] { return ended(task) && ended(late); });
  EXPECT_EQ(driver_.graces["main"], std::chrono::seconds(3));
  EXPECT_EQ(tasks_->find(late.arn)->record().reason, "The machine shuts down.");
  EXPECT_EQ(std::ranges::count(driver_.events, "start late"), 0);
  bool removed = false;
  run(store_result(tasks_->remove_containers(), removed));
  EXPECT_TRUE(removed);
  EXPECT_EQ(std::ranges::count(driver_.events, "remove main"), 1);
}

TEST_F(TaskRegistryTest, AStoppedTaskIsDeletedAfterTheRetentionTime) {
  auto task = test_task("t", {test_container("main")});
  tasks_->accept(task);
  until([&] { return driver_.runs("main"); });
  driver_.exit("main", 0);
  until([&] { return record(task).reported == "STOPPED"; });
  Coroutines sweeper(io_.get_executor());
  sweeper.spawn("sweep", tasks_->sweep());
  settle();
  EXPECT_TRUE(tasks_->knows(task.arn));
  sweeper.cancel();
  run(sweeper.ended());
  clock_.advance(std::chrono::hours(3));
  Coroutines later(io_.get_executor());
  later.spawn("sweep", tasks_->sweep());
  until([&] { return !tasks_->knows(task.arn); });
  later.cancel();
  run(later.ended());
  EXPECT_TRUE(driver_.happened("remove main"));
  EXPECT_TRUE(store_->load().empty());
  EXPECT_FALSE(std::filesystem::exists(folder_.path + "/logs/t"));
}

TEST_F(TaskRegistryTest, AStoppedTaskIsKeptUntilItsLogsAreSentButNotForEver) {
  machine_->has_unsent_logs = [](const std::string&) { return true; };
  auto task = test_task("t", {test_container("main")});
  tasks_->accept(task);
  until([&] { return driver_.runs("main"); });
  driver_.exit("main", 0);
  until([&] { return record(task).reported == "STOPPED"; });
  clock_.advance(std::chrono::hours(23));
  Coroutines sweeper(io_.get_executor());
  sweeper.spawn("sweep", tasks_->sweep());
  settle();
  EXPECT_TRUE(tasks_->knows(task.arn));
  sweeper.cancel();
  run(sweeper.ended());
  clock_.advance(std::chrono::hours(2));
  Coroutines later(io_.get_executor());
  later.spawn("sweep", tasks_->sweep());
  until([&] { return !tasks_->knows(task.arn); });
  later.cancel();
  run(later.ended());
}

TEST_F(TaskRegistryTest, ATaskIsNotDeletedWhileItsEndIsReportedAgain) {
  auto task = test_task("t", {test_container("main")});
  tasks_->accept(task);
  until([&] { return driver_.runs("main"); });
  driver_.exit("main", 0);
  until([&] { return record(task).reported == "STOPPED"; });
  settle();
  clock_.advance(std::chrono::hours(3));
  driver_.endless_removes = true;
  Coroutines sweeper(io_.get_executor());
  sweeper.spawn("sweep", tasks_->sweep());
  until([&] { return driver_.happened("remove main"); });
  server_down_ = true;
  tasks_->report_again(task.arn);
  driver_.endless_removes = false;
  driver_.wake();
  until([&] { return driver_.happened("clean_up " + task.arn); });
  EXPECT_TRUE(tasks_->knows(task.arn));
  EXPECT_EQ(store_->load().size(), 1u);
  server_down_ = false;
  until([&] { return record(task).reported == "STOPPED"; });
  sweeper.cancel();
  run(sweeper.ended());
}

TEST_F(TaskRegistryTest, AContainerWithoutASavedIdIsRemovedWithItsTask) {
  auto task = test_task("t", {test_container("main")});
  driver_.create_errors["main"] = "CannotCreateContainerError: no answer in time";
  tasks_->accept(task);
  until([&] { return record(task).reported == "STOPPED"; });
  driver_.boxes["box-9"] = stray(drivers::Phase::Created, task.arn, "main");
  settle();
  clock_.advance(std::chrono::hours(3));
  Coroutines sweeper(io_.get_executor());
  sweeper.spawn("sweep", tasks_->sweep());
  until([&] { return !tasks_->knows(task.arn); });
  sweeper.cancel();
  run(sweeper.ended());
  EXPECT_TRUE(driver_.boxes.empty());
}

TEST_F(TaskRegistryTest, ATaskWithInvalidNamesIsRejected) {
  auto task = test_task("t", {test_container("../etc")});
  tasks_->accept(task);
  until([&] { return statuses() == Strings{"STOPPED"}; });
  EXPECT_TRUE(driver_.events.empty());
  EXPECT_THROW(tasks_->accept(test_task("..", {test_container("main")})), std::runtime_error);
}

TEST_F(TaskRegistryTest, NewCredentialsAreSaved) {
  auto task = test_task("t", {test_container("main")});
  tasks_->accept(task);
  shapes::agent::IAMRoleCredentialsMessage message;
  message.taskArn = task.arn;
  message.roleType = "TaskApplication";
  message.roleCredentials.accessKeyId = "AKIA";
  tasks_->set_credentials(message);
  EXPECT_EQ(record(task).task.roleCredentials->accessKeyId, "AKIA");
  EXPECT_EQ(store_->load()[0].task.roleCredentials->accessKeyId, "AKIA");
}

TEST_F(TaskRegistryTest, TheOldestStoppedTasksAreDeletedEarlyWhenLogsAreTooMany) {
  machine_->max_log_bytes = 250;
  std::vector<shapes::agent::Task> tasks;
  for (const std::string name : {"a", "b", "c"}) {
    tasks.push_back(test_task(name, {test_container(name)}));
    tasks_->accept(tasks.back());
    until([&] { return driver_.runs(name); });
    std::ofstream(store_->log_file(tasks.back().arn, name)) << std::string(100, 'x');
    driver_.exit(name, 0);
    until([&] { return record(tasks.back()).reported == "STOPPED"; });
    clock_.advance(std::chrono::seconds(1));
  }
  Coroutines sweeper(io_.get_executor());
  sweeper.spawn("sweep", tasks_->sweep());
  until([&] { return !tasks_->knows(tasks[0].arn); });
  settle();
  EXPECT_TRUE(tasks_->knows(tasks[1].arn) && tasks_->knows(tasks[2].arn));
  EXPECT_FALSE(std::filesystem::exists(folder_.path + "/logs/a"));
  sweeper.cancel();
  run(sweeper.ended());
}

}  // namespace
}  // namespace agent
