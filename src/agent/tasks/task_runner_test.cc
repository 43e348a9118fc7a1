// SPDX-License-Identifier: Apache-2.0
#include "agent/tasks/task_runner.h"

#include "agent/tasks/test_machine.h"

namespace agent {
namespace {

using TaskRunnerTest = MachineTest;
using Strings = std::vector<std::string>;

TEST_F(TaskRunnerTest, ATaskRunsAndItsExitIsReported) {
  auto task = test_task("t", {test_container("main")});
  tasks_->accept(task);
  until([&] { return statuses() == Strings{"RUNNING"}; });
  EXPECT_EQ(driver_.events, (Strings{"pull busybox", "create main", "start main"}));
  EXPECT_EQ((*reports_[0].containers)[0].imageDigest, "sha256:busybox");
  EXPECT_EQ((*reports_[0].containers)[0].runtimeId, "box-1");
  driver_.exit("main", 3);
  until([&] { return statuses() == Strings{"RUNNING", "STOPPED"}; });
  EXPECT_EQ(reports_[1].reason, "Essential container in task exited");
  EXPECT_EQ((*reports_[1].containers)[0].exitCode, 3);
  EXPECT_TRUE(reports_[1].executionStoppedAt);
}

TEST_F(TaskRunnerTest, ManagedAgentsAreReportedWithTheirContainers) {
  auto main = test_container("main"), plain = test_container("plain", false);
  main.managedAgents.emplace(1, shapes::agent::ManagedAgent{"ExecuteCommandAgent"});
  auto task = test_task("t", {main, plain});
  tasks_->accept(task);
  until([&] { return statuses() == Strings{"RUNNING"}; });
  ASSERT_TRUE(reports_[0].managedAgents);
  ASSERT_EQ(reports_[0].managedAgents->size(), 1u);
  EXPECT_EQ(reports_[0].managedAgents->front().containerName, "main");
  EXPECT_EQ(reports_[0].managedAgents->front().managedAgentName, "ExecuteCommandAgent");
  EXPECT_EQ(reports_[0].managedAgents->front().status, "RUNNING");
  driver_.exit("main", 0);
  until([&] { return statuses() == Strings{"RUNNING", "STOPPED"}; });
  EXPECT_EQ(reports_[1].managedAgents->front().status, "STOPPED");
}

TEST_F(TaskRunnerTest, ContainersStartInDependencyOrderAndStopInReverse) {
  auto web = test_container("web"), db = test_container("db"), cache = test_container("cache", false);
  web.dependsOn = {{"db", "START"}};
  cache.dependsOn = {{"web", "START"}};
  cache.stopTimeout = 7;
  auto task = test_task("t", {web, db, cache});
  tasks_->accept(task);
  until([&] { return driver_.runs("cache"); });
  EXPECT_LT(driver_.order("start db"), driver_.order("start web"));
  EXPECT_LT(driver_.order("start web"), driver_.order("start cache"));
  tasks_->stop(task.arn, "");
  until([&] { return ended(task); });
  EXPECT_LT(driver_.order("stop cache"), driver_.order("stop web"));
  EXPECT_LT(driver_.order("stop web"), driver_.order("stop db"));
  EXPECT_EQ(driver_.graces["cache"], std::chrono::seconds(7));
  EXPECT_EQ(driver_.graces["db"], std::chrono::seconds(30));
}

TEST_F(TaskRunnerTest, AfterAFailedStartTheGpuStaysHeldUntilTheContainerIsRemoved) {
  auto task = test_task("t", {test_container("main")});
  task.associations = {{"gpu", "GPU-a", {"main"}, {}}};
  driver_.lost_starts = driver_.stop_errors = {"main"};
  tasks_->accept(task);
  until([&] { return std::ranges::count(driver_.events, "stop main") > 2; });
  EXPECT_EQ(machine_->ledger.holders("GPU-a"), Strings{task.arn});
  driver_.stop_errors.clear();
  until([&] { return ended(task); });
  EXPECT_FALSE(driver_.runs("main"));
  EXPECT_EQ(container(task, 0).reason, "CannotStartContainerError: no answer");
}

boost::asio::awaitable<std::string> no_log(const TaskRecord&, const ContainerRecord& container) {
  co_return "CannotStartContainerError: no log for " + container.id;
}

TEST_F(TaskRunnerTest, AContainerWhoseLogCannotBeOpenedDoesNotStart) {
  machine_->open_log = no_log;
  auto task = test_task("t", {test_container("main")});
  tasks_->accept(task);
  until([&] { return statuses() == Strings{"STOPPED"}; });
  EXPECT_EQ(std::ranges::count(driver_.events, "start main"), 0);
  EXPECT_EQ((*reports_[0].containers)[0].reason, "CannotStartContainerError: no log for box-1");
  EXPECT_EQ(reports_[0].reason, "Task failed to start");
}

TEST_F(TaskRunnerTest, TheEndIsReportedOnceTheLogsAreSent) {
  Signal sent;
  bool all_sent = false, waits = false;
  struct Flush {
    static boost::asio::awaitable<void> run(Signal& sent, bool& all_sent, bool& waits) {
      waits = true;
      while (!all_sent) {
        co_await sent.wait(kLongestWait);
      }
    }
  };
  machine_->flush_logs = [&](std::string) { return Flush::run(sent, all_sent, waits); };
  auto task = test_task("t", {test_container("main")});
  tasks_->accept(task);
  until([&] { return driver_.runs("main"); });
  driver_.exit("main", 0);
  until([&] { return waits; });
  settle();
  EXPECT_EQ(std::ranges::count(statuses(), "STOPPED"), 0);
  all_sent = true;
  sent.notify();
  until([&] { return std::ranges::count(statuses(), "STOPPED") == 1; });
}

TEST_F(TaskRunnerTest, TheExitOfAnEssentialContainerStopsTheOthers) {
  auto task = test_task("t", {test_container("main"), test_container("side", false)});
  tasks_->accept(task);
  until([&] { return driver_.runs("main") && driver_.runs("side"); });
  driver_.exit("main", 0);
  until([&] { return ended(task); });
  EXPECT_TRUE(driver_.happened("stop side"));
  EXPECT_FALSE(driver_.happened("stop main"));
}

TEST_F(TaskRunnerTest, TheExitOfANonEssentialContainerIsReportedAndTheTaskContinues) {
  auto task = test_task("t", {test_container("main"), test_container("init", false)});
  tasks_->accept(task);
  until([&] { return statuses() == Strings{"RUNNING"}; });
  driver_.exit("init", 0);
  until([&] { return statuses() == Strings{"RUNNING", "RUNNING"}; });
  EXPECT_EQ((*reports_[1].containers)[1].status, "STOPPED");
  EXPECT_TRUE(driver_.runs("main"));
}

TEST_F(TaskRunnerTest, ADependencyOnSuccessWaitsForExitCodeZero) {
  auto main = test_container("main");
  main.dependsOn = {{"init", "SUCCESS"}};
  auto task = test_task("t", {main, test_container("init", false)});
  tasks_->accept(task);
  until([&] { return driver_.runs("init"); });
  settle();
  EXPECT_FALSE(driver_.happened("create main"));
  driver_.exit("init", 0);
  until([&] { return driver_.runs("main"); });
  until([&] { return statuses() == Strings{"RUNNING"}; });
}

TEST_F(TaskRunnerTest, ADependencyOnSuccessFailsTheTaskAfterANonZeroExitCode) {
  auto main = test_container("main");
  main.dependsOn = {{"init", "SUCCESS"}};
  auto task = test_task("t", {main, test_container("init", false)});
  tasks_->accept(task);
  until([&] { return driver_.runs("init"); });
  driver_.exit("init", 1);
  until([&] { return statuses() == Strings{"STOPPED"}; });
  EXPECT_EQ(reports_[0].reason, "Task failed to start");
  EXPECT_NE(container(task, 0).reason->find("ended before it reached SUCCESS"), std::string::npos);
}

TEST_F(TaskRunnerTest, ADependencyOnHealthyWaitsForTheHealthCheck) {
  auto main = test_container("main"), db = test_container("db");
  main.dependsOn = {{"db", "HEALTHY"}};
  db.healthCheckType = "docker";
  auto task = test_task("t", {main, db});
  tasks_->accept(task);
  until([&] { return driver_.runs("db"); });
  driver_.set_health("db", "UNHEALTHY");
  until([&] { return container(task, 1).health == "UNHEALTHY"; });
  EXPECT_FALSE(driver_.happened("create main"));
  driver_.set_health("db", "HEALTHY");
  until([&] { return driver_.runs("main"); });
}

TEST_F(TaskRunnerTest, AnExpiredStartTimeoutStopsTheTask) {
  auto main = test_container("main"), db = test_container("db");
  main.dependsOn = {{"db", "HEALTHY"}};
  db.healthCheckType = "docker";
  db.startTimeout = 5;
  auto task = test_task("t", {main, db});
  tasks_->accept(task);
  until([&] { return driver_.runs("db"); });
  clock_.advance(std::chrono::seconds(5));
  machine_->changed.notify();
  until([&] { return ended(task); });
  EXPECT_NE(container(task, 0).reason->find("startTimeout of 5 s"), std::string::npos);
  EXPECT_TRUE(driver_.happened("stop db"));
}

TEST_F(TaskRunnerTest, ATransientPullErrorIsRetried) {
  driver_.pull_errors["busybox"] = {"CannotPullContainerError: i/o timeout", "CannotPullContainerError: i/o timeout"};
  tasks_->accept(test_task("t", {test_container("main")}));
  until([&] { return driver_.runs("main"); });
}

TEST_F(TaskRunnerTest, AMissingImageStopsTheTask) {
  driver_.pull_errors["busybox"] = {"CannotPullContainerError: manifest unknown"};
  auto task = test_task("t", {test_container("main")});
  tasks_->accept(task);
  until([&] { return statuses() == Strings{"STOPPED"}; });
  EXPECT_EQ((*reports_[0].containers)[0].reason, "CannotPullContainerError: manifest unknown");
  EXPECT_EQ(reports_[0].reason, "Task failed to start");
  EXPECT_EQ(driver_.events, Strings{"pull busybox"});
}

TEST_F(TaskRunnerTest, TwoTasksShareThePullOfOneImage) {
  driver_.endless_pulls = {"busybox"};
  tasks_->accept(test_task("t1", {test_container("a")}));
  tasks_->accept(test_task("t2", {test_container("b")}));
  settle();
  driver_.endless_pulls.clear();
  driver_.wake();
  until([&] { return driver_.runs("a") && driver_.runs("b"); });
  EXPECT_EQ(std::ranges::count(driver_.events, "pull busybox"), 1);
}

TEST_F(TaskRunnerTest, AllTasksOfAPullHaveItsProgressUntilItEnds) {
  driver_.endless_pulls = {"busybox"};
  auto first = test_task("t1", {test_container("a"), test_container("b")}), second = test_task("t2", {test_container("c")});
  tasks_->accept(first);
  tasks_->accept(second);
  until([&] { return driver_.happened("pull busybox"); });
  settle();
  EXPECT_TRUE(machine_->pulls.message().pulls.empty()) << "nothing is downloaded yet";
  driver_.on_pull_progress["busybox"](
      {.layers = 7, .layers_done = 3, .layers_existing = 2, .downloaded_bytes = 10, .total_bytes = 20, .extracting = true});
  const shapes::agent::StokerPull expected{.image = "busybox",
                                           .taskArns = {first.arn, second.arn},
                                           .startedAt = 1000 * 1000,
                                           .layers = 7,
                                           .layersDone = 3,
                                           .layersExisting = 2,
                                           .downloadedBytes = 10,
                                           .totalBytes = 20,
                                           .extracting = true};
  ASSERT_EQ(machine_->pulls.message().pulls.size(), 1u);
  EXPECT_EQ(machine_->pulls.message().pulls[0], expected);

  first.desiredStatus = "STOPPED";
  tasks_->accept(first);
  until([&] { return ended(first); });
  ASSERT_EQ(machine_->pulls.message().pulls.size(), 1u);
  EXPECT_EQ(machine_->pulls.message().pulls[0].taskArns, Strings{second.arn});
  second.desiredStatus = "STOPPED";
  tasks_->accept(second);
  until([&] { return ended(second); });
  EXPECT_TRUE(machine_->pulls.message().pulls.empty()) << "nobody waits for it";

  tasks_->accept(test_task("t3", {test_container("d")}));
  settle();
  EXPECT_EQ(machine_->pulls.message().pulls.size(), 1u) << "the pull went on";
  driver_.endless_pulls.clear();
  driver_.wake();
  until([&] { return driver_.runs("d"); });
  EXPECT_TRUE(machine_->pulls.message().pulls.empty());
  EXPECT_EQ(std::ranges::count(driver_.events, "pull busybox"), 1);
}

TEST_F(TaskRunnerTest, AStopDuringAPullStopsTheTaskWithoutWaitingForThePull) {
  driver_.endless_pulls = {"busybox"};
  auto task = test_task("t", {test_container("main")});
  tasks_->accept(task);
  until([&] { return driver_.happened("pull busybox"); });
  task.desiredStatus = "STOPPED";
  tasks_->accept(task);
  until([&] { return statuses() == Strings{"STOPPED"}; });
  driver_.endless_pulls.clear();
  driver_.wake();
  settle();
  EXPECT_FALSE(driver_.happened("create main"));
}

TEST_F(TaskRunnerTest, AFailedStartIsTheReasonOfTheContainer) {
  driver_.start_errors["main"] = "CannotStartContainerError: no such file";
  auto task = test_task("t", {test_container("main"), test_container("other")});
  tasks_->accept(task);
  until([&] { return ended(task); });
  EXPECT_EQ(container(task, 0).reason, "CannotStartContainerError: no such file");
  until([&] { return statuses() == Strings{"STOPPED"}; });
  EXPECT_EQ(reports_[0].reason, "Task failed to start");
}

TEST_F(TaskRunnerTest, AnOutOfMemoryKillIsTheReasonOfTheContainer) {
  auto task = test_task("t", {test_container("main")});
  tasks_->accept(task);
  until([&] { return driver_.runs("main"); });
  driver_.exit("main", 137, true);
  until([&] { return ended(task); });
  EXPECT_EQ(container(task, 0).reason, "OutOfMemoryError: Container killed due to memory usage");
  EXPECT_EQ(container(task, 0).exitCode, 137);
}

TEST_F(TaskRunnerTest, ARestartPolicyRestartsTheContainer) {
  auto main = test_container("main");
  main.restartPolicy = shapes::agent::RestartPolicy{true, std::vector<std::int32_t>{9}, 60};
  auto task = test_task("t", {main});
  tasks_->accept(task);
  until([&] { return driver_.runs("main"); });
  driver_.now += std::chrono::seconds(61);
  driver_.exit("main", 1);
  until([&] { return container(task, 0).restarts == 1 && driver_.runs("main"); });
  EXPECT_EQ(statuses(), Strings{"RUNNING"});
  driver_.now += std::chrono::seconds(61);
  driver_.exit("main", 9);
  until([&] { return ended(task); });
}

TEST_F(TaskRunnerTest, AContainerThatExitsBeforeTheAttemptPeriodIsNotRestarted) {
  auto main = test_container("main");
  main.restartPolicy = shapes::agent::RestartPolicy{true, {}, 60};
  auto task = test_task("t", {main});
  tasks_->accept(task);
  until([&] { return driver_.runs("main"); });
  driver_.now += std::chrono::seconds(59);
  driver_.exit("main", 1);
  until([&] { return ended(task); });
  EXPECT_EQ(container(task, 0).restarts, 0);
}

TEST_F(TaskRunnerTest, OverridesAndTheMachinesVariablesReachTheContainer) {
  machine_->environment = [](const auto&, const auto&) {
    return std::map<std::string, std::string>{{"ECS_AGENT_URI", "http://a"}, {"MINE", "the machine's"}};
  };
  auto main = test_container("main");
  main.environment = {{"MINE", "its own"}, {"A", "1"}};
  main.overrides = R"({"command": ["sleep", "1"], "environment": [{"name": "A", "value": "2"}]})";
  tasks_->accept(test_task("t", {main}));
  until([&] { return driver_.runs("main"); });
  const auto& made = driver_.boxes["box-1"].spec.container;
  EXPECT_EQ(made.command, (Strings{"sleep", "1"}));
  EXPECT_EQ(made.environment,
            (std::map<std::string, std::string>{{"MINE", "its own"}, {"A", "2"}, {"ECS_AGENT_URI", "http://a"}}));
}

TEST_F(TaskRunnerTest, InvalidOverridesStopTheTask) {
  auto main = test_container("main");
  main.overrides = R"({"command": 3})";
  auto task = test_task("t", {main});
  tasks_->accept(task);
  until([&] { return ended(task); });
  EXPECT_NE(container(task, 0).reason->find("invalid overrides of container main"), std::string::npos);
}

shapes::agent::Task gpu_task(const std::string& id, const std::string& gpu) {
  auto task = test_task(id, {test_container(id)});
  task.associations = {{"gpu", gpu, {id}, {}}};
  return task;
}

TEST_F(TaskRunnerTest, ATaskWaitsUntilTheGpuIsFree) {
  auto first = gpu_task("first", "GPU-a"), second = gpu_task("second", "GPU-a");
  tasks_->accept(first);
  tasks_->accept(second);
  until([&] { return driver_.runs("first"); });
  driver_.endless_stops = {"first"};
  tasks_->stop(first.arn, "");
  until([&] { return driver_.happened("stop first"); });
  settle();
  EXPECT_FALSE(driver_.happened("create second"));
  EXPECT_EQ(machine_->ledger.holders("GPU-a"), Strings{first.arn});
  driver_.endless_stops.clear();
  driver_.wake();
  until([&] { return driver_.runs("second"); });
  EXPECT_EQ(machine_->ledger.holders("GPU-a"), Strings{second.arn});
  EXPECT_EQ(driver_.boxes["box-2"].spec.gpus.size(), 1u);
}

TEST_F(TaskRunnerTest, ATaskThatIsWaitingForAGpuCanBeStopped) {
  auto first = gpu_task("first", "GPU-a"), second = gpu_task("second", "GPU-a");
  tasks_->accept(first);
  tasks_->accept(second);
  until([&] { return driver_.runs("first"); });
  tasks_->stop(second.arn, "user request");
  until([&] { return ended(second); });
  EXPECT_TRUE(driver_.runs("first"));
  EXPECT_EQ(machine_->ledger.holders("GPU-a"), Strings{first.arn});
}

TEST_F(TaskRunnerTest, ATaskForAnAbsentGpuStopsWithThatReason) {
  auto task = gpu_task("t", "GPU-none");
  tasks_->accept(task);
  until([&] { return statuses() == Strings{"STOPPED"}; });
  EXPECT_NE(reports_[0].reason->find("this machine has no GPU GPU-none"), std::string::npos);
  EXPECT_FALSE(driver_.happened("create t"));
}

}  // namespace
}  // namespace agent
