// SPDX-License-Identifier: Apache-2.0
// Deployments from revision to revision: rolling updates, busy GPUs, circuit breaker, alarms, rollback.
#include "services/ecs/reconciliation/reconciliation_fixture.h"
#include "shapes/cloudwatch/alarm.h"

namespace services::ecs {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

struct FakeAlarms {
  std::vector<std::string> in_alarm;
  std::int32_t period = 0;  // seconds, of each of two that are evaluated
};

shapes::cloudwatch::DescribeAlarmsOutput fake_describe_alarms(Call& call,
                                                              const shapes::cloudwatch::DescribeAlarmsInput& request) {
  shapes::cloudwatch::DescribeAlarmsOutput output;
  output.MetricAlarms.emplace();
  const FakeAlarms& alarms = call.local<FakeAlarms>();
  for (const std::string& name : *request.AlarmNames) {
    auto& alarm = output.MetricAlarms->emplace_back();
    alarm.AlarmName = name;
    alarm.StateValue = std::ranges::count(alarms.in_alarm, name) > 0 ? "ALARM" : "OK";
    alarm.Period = alarms.period;
    alarm.EvaluationPeriods = 2;
  }
  return output;
}

class Deployments : public ReconciliationTest {
 protected:
  Deployments() { directory_.add("cloudwatch", {operation<&fake_describe_alarms>("DescribeAlarms", Access::Read)}); }

  // Registers the next revision of the GPU's family.
  void register_next() {
    register_json(
        R"({"family":"one","containerDefinitions":[{"name":"c","image":"busybox:2","memory":16,"stopTimeout":90,
            "versionConsistency":"disabled","resourceRequirements":[{"type":"GPU","value":"1"}]}]})");
  }
  // How many tasks of the service run revision 1 and 2 of "one", those that are stopping left out.
  std::pair<int, int> revisions(const std::string& name) {
    std::pair<int, int> counts;
    for (const state::ServiceTask& task : wanted_tasks(name)) {
      const Task shown = run_json(&describe_tasks, R"({"tasks":[")" + task.id.str() + "\"]}").tasks->at(0);
      ++(shown.taskDefinitionArn->ends_with(":1") ? counts.first : counts.second);
    }
    return counts;
  }
  std::string status_of_last_change(const std::string& name) {
    return *run_json(&list_service_deployments, R"({"service":")" + name + "\"}").serviceDeployments->at(0).status;
  }
  // A task of the service fails to start, as often as this.
  void fail_starts(const std::string& name, int times) {
    for (int i = 0; i < times; ++i) {
      for (const state::ServiceTask& task : wanted_tasks(name)) {
        if (task.known != model::TaskStatus::Running) report_status(task.id, "STOPPED");
      }
      settle();
      if (next_) now_ = std::max(now_, std::min(*next_, now_ + std::chrono::minutes(27)));
      settle();
    }
  }

  FakeAlarms& alarms_ = locals_.add<FakeAlarms>();
};

TEST_F(Deployments, WithRoomNewTasksRunBeforeOldOnesStop) {
  add_machine("a", 4);
  create(R"({"serviceName":"gpu","taskDefinition":"one:1","desiredCount":2,
            "deploymentConfiguration":{"minimumHealthyPercent":100,"maximumPercent":200}})");
  run_until_quiet("gpu");
  register_next();
  update(R"({"service":"gpu","taskDefinition":"one"})");
  EXPECT_EQ(revisions("gpu"), std::pair(2, 2));
  obey("gpu");
  settle();
  EXPECT_EQ(revisions("gpu"), std::pair(0, 2)) << "new ones run";
  run_until_quiet("gpu");
  const auto service = describe_service("gpu");
  ASSERT_THAT(*service.deployments, SizeIs(1));
  EXPECT_EQ(service.deployments->at(0).rolloutState, "COMPLETED");
  EXPECT_THAT(tasks("gpu"), SizeIs(2));
}

TEST_F(Deployments, WithoutRoomAboveTheMaximumOldTasksStopFirst) {
  add_machine("a", 4);
  create(R"({"serviceName":"gpu","taskDefinition":"one:1","desiredCount":2,
            "deploymentConfiguration":{"minimumHealthyPercent":50,"maximumPercent":100}})");
  run_until_quiet("gpu");
  register_next();
  update(R"({"service":"gpu","taskDefinition":"one"})");
  EXPECT_EQ(revisions("gpu"), std::pair(1, 1)) << "one stops, one starts";
  run_until_quiet("gpu");
  EXPECT_EQ(revisions("gpu"), std::pair(0, 2));
}

TEST_F(Deployments, OnABusyGpuTheOldTaskIsStoppedFirstByDefault) {
  add_machine("a", 1);
  create(R"({"serviceName":"gpu","taskDefinition":"one:1","desiredCount":1})");
  EXPECT_EQ(describe_service("gpu").deploymentConfiguration->minimumHealthyPercent, 0);
  run_until_quiet("gpu");
  const model::TaskId old = tasks("gpu").at(0).id;
  register_next();
  update(R"({"service":"gpu","taskDefinition":"one"})");
  ASSERT_THAT(tasks("gpu"), SizeIs(1)) << "the old one still holds the GPU";
  EXPECT_EQ(tasks("gpu")[0].desired, model::DesiredStatus::Stopped);
  EXPECT_THAT(last_event("gpu"), HasSubstr("waits for (task " + old.str() + ") of one:1 "));
  EXPECT_THAT(last_event("gpu"), HasSubstr("to stop, which holds GPU-a0 on a. It has 30 seconds for that"));
  EXPECT_THAT(events("gpu"), Not(Contains(HasSubstr("unable to place"))))
      << "a GPU that is about to be free is no failure";
  report_status(old, "STOPPED");
  settle();
  EXPECT_EQ(revisions("gpu"), std::pair(0, 1));
  run_until_quiet("gpu");
  EXPECT_EQ(status_of_last_change("gpu"), "SUCCESSFUL");
}

TEST_F(Deployments, OnABusyGpuThatTheMinimumProtectsTheEventNamesWhatWouldHelp) {
  const std::string machine = add_machine("a", 1);
  create(R"({"serviceName":"gpu","taskDefinition":"one:1","desiredCount":1,
            "deploymentConfiguration":{"minimumHealthyPercent":100,"maximumPercent":200}})");
  run_until_quiet("gpu");
  const model::TaskId old = tasks("gpu").at(0).id;
  register_next();
  update(R"({"service":"gpu","taskDefinition":"one"})");
  EXPECT_EQ(revisions("gpu"), std::pair(1, 0));
  const auto all = events("gpu");
  EXPECT_THAT(all[1], HasSubstr("(container-instance " + machine + ") has insufficient GPU resource available."));
  EXPECT_THAT(all[0],
              HasSubstr("waits for a GPU: GPU-a0 on a is held by (task " + old.str() + ") of one:1 (deployment "));
  EXPECT_THAT(all[0],
              HasSubstr("minimumHealthyPercent 100 keeps that task until its replacement runs. It continues with "
                        "minimumHealthyPercent 0 at most, or with another GPU."));
  settle_for(std::chrono::hours(1));
  EXPECT_EQ(events("gpu"), all) << "published once";
  update(R"({"service":"gpu","deploymentConfiguration":{"minimumHealthyPercent":0}})");
  run_until_quiet("gpu");
  EXPECT_EQ(revisions("gpu"), std::pair(0, 1));
}

TEST_F(Deployments, ABusyGpuIsNoObstacleWhereAnotherMachineHasOne) {
  add_machine("a", 1);
  add_machine("b", 1);
  create(R"({"serviceName":"gpu","taskDefinition":"one:1","desiredCount":1,
            "deploymentConfiguration":{"minimumHealthyPercent":0,"maximumPercent":200}})");
  run_until_quiet("gpu");
  register_next();
  update(R"({"service":"gpu","taskDefinition":"one"})");
  EXPECT_EQ(revisions("gpu"), std::pair(1, 1)) << "the new one starts before the old one stops";
  run_until_quiet("gpu");
  EXPECT_EQ(revisions("gpu"), std::pair(0, 1));
}

TEST_F(Deployments, AMachineThatTakesNoTasksForAWhileCostsNoOldTask) {
  const model::InstanceId machine(add_machine("a", 2));
  create(R"({"serviceName":"gpu","taskDefinition":"one:1","desiredCount":1})");
  run_until_quiet("gpu");
  with_call([&](Call& call) { store_troubles(call, machine, {{{"starts", "its last containers failed", 0}}}); });
  register_next();
  update(R"({"service":"gpu","taskDefinition":"one"})");
  EXPECT_EQ(revisions("gpu"), std::pair(1, 0));
  with_call([&](Call& call) { store_troubles(call, machine, {}); });
  with_call([&](Call& call) { set_connected(call, machine, false); });
  settle();
  EXPECT_EQ(revisions("gpu"), std::pair(1, 0));
  with_call([&](Call& call) { set_connected(call, machine, true); });
  settle();
  EXPECT_EQ(revisions("gpu"), std::pair(1, 1)) << "it has room for both";
}

TEST_F(Deployments, ATaskThatNoMachineCouldRunCostsNoOldTask) {
  add_machine("a", 1);
  create(R"({"serviceName":"gpu","taskDefinition":"one:1","desiredCount":1})");
  run_until_quiet("gpu");
  register_json(R"({"family":"one","containerDefinitions":[{"name":"c","image":"busybox","memory":16,
                   "resourceRequirements":[{"type":"GPU","value":"8"}]}]})");
  update(R"({"service":"gpu","taskDefinition":"one"})");
  settle_for(std::chrono::hours(1));
  EXPECT_EQ(revisions("gpu"), std::pair(1, 0));
  EXPECT_THAT(events("gpu"), Contains(HasSubstr("has insufficient GPU resource available.")));
  EXPECT_THAT(last_event("gpu"), HasSubstr("waits for a machine. The closest is a: ")) << "no setting would help";
}

TEST_F(Deployments, TwoBusyMachinesAreUpdatedOneAfterTheOtherWhereHalfMustRun) {
  add_machine("a", 1);
  add_machine("b", 1);
  create(R"({"serviceName":"gpu","taskDefinition":"one:1","desiredCount":2,
            "deploymentConfiguration":{"minimumHealthyPercent":50,"maximumPercent":200}})");
  run_until_quiet("gpu");
  register_next();
  update(R"({"service":"gpu","taskDefinition":"one"})");
  EXPECT_EQ(revisions("gpu"), std::pair(1, 0));
  obey("gpu");
  settle();
  EXPECT_EQ(revisions("gpu"), std::pair(1, 1));
  EXPECT_THAT(last_event("gpu"), HasSubstr(" to be healthy. Then it stops (task "));
  EXPECT_THAT(events("gpu"), Not(Contains(HasSubstr("unable to place")))) << "it makes progress";
  run_until_quiet("gpu");
  EXPECT_EQ(revisions("gpu"), std::pair(0, 2));
}

TEST_F(Deployments, TheCircuitBreakerRollsBackToTheCompletedDeployment) {
  add_machine("a", 4);
  create(R"({"serviceName":"gpu","taskDefinition":"one:1","desiredCount":1,"deploymentConfiguration":{
            "deploymentCircuitBreaker":{"enable":true,"rollback":true},"minimumHealthyPercent":100}})");
  run_until_quiet("gpu");
  const std::string good = *describe_service("gpu").deployments->at(0).id;
  register_next();
  const std::string bad = *update(R"({"service":"gpu","taskDefinition":"one"})").deployments->at(0).id;
  fail_starts("gpu", 2);
  EXPECT_EQ(describe_service("gpu").deployments->at(0).id, bad);
  fail_starts("gpu", 1);
  auto service = describe_service("gpu");
  EXPECT_EQ(service.deployments->at(0).id, good) << "under its old id";
  EXPECT_EQ(service.deployments->at(0).status, "PRIMARY");
  EXPECT_THAT(events("gpu"), Contains("(deployment " + bad + ") deployment failed: tasks failed to start."));
  EXPECT_THAT(events("gpu"), Contains("rolling back to deployment " + good + "."));
  EXPECT_EQ(revisions("gpu"), std::pair(1, 0));
  run_until_quiet("gpu");
  service = describe_service("gpu");
  ASSERT_THAT(*service.deployments, SizeIs(1));
  EXPECT_EQ(service.deployments->at(0).rolloutState, "COMPLETED");
  EXPECT_EQ(status_of_last_change("gpu"), "ROLLBACK_SUCCESSFUL");
}

TEST_F(Deployments, WithoutRollbackAFailedDeploymentStartsNothingMore) {
  add_machine("a", 4);
  create(R"({"serviceName":"gpu","taskDefinition":"one:1","desiredCount":1,"deploymentConfiguration":{
            "deploymentCircuitBreaker":{"enable":true,"rollback":false},"minimumHealthyPercent":100}})");
  run_until_quiet("gpu");
  register_next();
  update(R"({"service":"gpu","taskDefinition":"one"})");
  fail_starts("gpu", 3);
  const auto service = describe_service("gpu");
  EXPECT_EQ(service.deployments->at(0).rolloutState, "FAILED");
  EXPECT_EQ(service.deployments->at(0).rolloutStateReason, "ECS deployment circuit breaker: tasks failed to start.");
  EXPECT_EQ(revisions("gpu"), std::pair(1, 0));
  EXPECT_EQ(status_of_last_change("gpu"), "STOPPED");
  settle_for(std::chrono::hours(1));
  EXPECT_EQ(revisions("gpu"), std::pair(1, 0));
}

TEST_F(Deployments, ADeploymentIsRolledBackWhenAClientStopsIt) {
  add_machine("a", 4);
  create(R"({"serviceName":"gpu","taskDefinition":"one:1","desiredCount":1,
            "deploymentConfiguration":{"minimumHealthyPercent":100}})");
  run_until_quiet("gpu");
  register_next();
  update(R"({"service":"gpu","taskDefinition":"one"})");
  const std::string arn = *describe_service("gpu").currentServiceDeployment;
  run_json(&stop_service_deployment, R"({"serviceDeploymentArn":")" + arn + R"(","stopType":"ROLLBACK"})");
  run_until_quiet("gpu");
  EXPECT_EQ(revisions("gpu"), std::pair(1, 0));
  EXPECT_THAT(*describe_service("gpu").deployments, SizeIs(1));
  EXPECT_EQ(status_of_last_change("gpu"), "ROLLBACK_SUCCESSFUL");
}

TEST_F(Deployments, ARollbackReturnsToTheNetworkConfigurationAsWell) {
  add_machine("a", 4);
  create(R"({"serviceName":"gpu","taskDefinition":"one:1","desiredCount":1})");
  run_until_quiet("gpu");
  const std::string good = *describe_service("gpu").deployments->at(0).id;
  register_json(R"({"family":"one","networkMode":"awsvpc","containerDefinitions":[{"name":"c","image":"busybox",
                   "memory":16,"resourceRequirements":[{"type":"GPU","value":"1"}]}]})");
  update(R"({"service":"gpu","taskDefinition":"one",
             "networkConfiguration":{"awsvpcConfiguration":{"subnets":["s-1"]}}})");
  const std::string arn = *describe_service("gpu").currentServiceDeployment;
  run_json(&stop_service_deployment, R"({"serviceDeploymentArn":")" + arn + R"(","stopType":"ROLLBACK"})");
  run_until_quiet("gpu");
  EXPECT_FALSE(describe_service("gpu").networkConfiguration);
  const auto scaled = update(R"({"service":"gpu","desiredCount":2})");
  EXPECT_EQ(scaled.deployments->at(0).id, good) << "no new deployment";
}

TEST_F(Deployments, AnAlarmDuringTheDeploymentRollsItBack) {
  add_machine("a", 4);
  create(R"({"serviceName":"gpu","taskDefinition":"one:1","desiredCount":1,"deploymentConfiguration":{
            "alarms":{"alarmNames":["slow"],"enable":true,"rollback":true},"minimumHealthyPercent":100}})");
  run_until_quiet("gpu");
  register_next();
  const std::string bad = *update(R"({"service":"gpu","taskDefinition":"one"})").deployments->at(0).id;
  alarms_.in_alarm = {"slow"};
  settle_for(std::chrono::seconds(10));
  EXPECT_THAT(events("gpu"), Contains("(deployment " + bad + ") deployment failed: alarm detected."));
  run_until_quiet("gpu");
  EXPECT_EQ(revisions("gpu"), std::pair(1, 0));
  EXPECT_EQ(status_of_last_change("gpu"), "ROLLBACK_SUCCESSFUL") << "although the alarm lasts";
  EXPECT_EQ(describe_service("gpu").deployments->at(0).rolloutState, "COMPLETED");
}

TEST_F(Deployments, WithoutABakeTimeAlarmsAreWatchedForTheTimeThatTheyEvaluate) {
  add_machine("a", 4);
  alarms_.period = 60;
  create(R"({"serviceName":"gpu","taskDefinition":"one:1","desiredCount":1,"deploymentConfiguration":{
            "alarms":{"alarmNames":["slow"],"enable":true,"rollback":true},"minimumHealthyPercent":100}})");
  obey("gpu");
  settle_for(std::chrono::seconds(119));
  EXPECT_EQ(status_of_last_change("gpu"), "IN_PROGRESS");
  settle_for(std::chrono::seconds(1));
  EXPECT_EQ(status_of_last_change("gpu"), "SUCCESSFUL");
  register_next();
  update(R"({"service":"gpu","taskDefinition":"one"})");
  run_until_quiet("gpu");
  EXPECT_EQ(revisions("gpu"), std::pair(0, 1));
  alarms_.in_alarm = {"slow"};
  settle_for(std::chrono::seconds(10));
  run_until_quiet("gpu");
  EXPECT_EQ(revisions("gpu"), std::pair(1, 0)) << "the new revision ran, and the alarm came after that";
  EXPECT_EQ(status_of_last_change("gpu"), "ROLLBACK_SUCCESSFUL") << "a rollback is not watched";
}

TEST_F(Deployments, ARollbackReturnsToADeploymentWhoseLastTaskHasJustStopped) {
  add_machine("a", 4);
  create(R"({"serviceName":"gpu","taskDefinition":"one:1","desiredCount":1,"deploymentConfiguration":{
            "alarms":{"alarmNames":["slow"],"enable":true,"rollback":true},
            "minimumHealthyPercent":0,"maximumPercent":100}})");
  run_until_quiet("gpu");
  const std::string good = *describe_service("gpu").deployments->at(0).id;
  const model::TaskId old = tasks("gpu").at(0).id;
  register_next();
  update(R"({"service":"gpu","taskDefinition":"one"})");
  alarms_.in_alarm = {"slow"};
  report_status(old, "STOPPED");
  settle();
  const auto service = describe_service("gpu");
  EXPECT_EQ(service.deployments->at(0).id, good);
  EXPECT_EQ(service.deployments->at(0).status, "PRIMARY");
  run_until_quiet("gpu");
  EXPECT_EQ(revisions("gpu"), std::pair(1, 0));
}

TEST_F(Deployments, ALostTaskReturnsWithItsRevisionWhileTheNewOneFails) {
  add_machine("a", 1);
  create(R"({"serviceName":"gpu","taskDefinition":"one:1","desiredCount":1,
            "deploymentConfiguration":{"minimumHealthyPercent":100}})");
  run_until_quiet("gpu");
  const std::string good = *describe_service("gpu").deployments->at(0).id;
  register_next();
  update(R"({"service":"gpu","taskDefinition":"one"})");
  report_status(tasks("gpu").at(0).id, "STOPPED");
  settle();
  EXPECT_EQ(revisions("gpu"), std::pair(0, 1)) << "the GPU is free for the new revision";
  EXPECT_THAT(*describe_service("gpu").deployments, SizeIs(1));
  for (int failures = 0; failures < 3; ++failures) {
    report_status(wanted_tasks("gpu").at(0).id, "STOPPED");
    settle();
  }
  EXPECT_EQ(revisions("gpu"), std::pair(1, 0));
  obey("gpu");
  settle_for(std::chrono::hours(1));
  EXPECT_EQ(revisions("gpu"), std::pair(1, 0));
  const auto deployments = *describe_service("gpu").deployments;
  ASSERT_THAT(deployments, SizeIs(2));
  EXPECT_EQ(deployments[1].id, good);
  EXPECT_EQ(deployments[1].status, "ACTIVE");
  update(R"({"service":"gpu","deploymentConfiguration":{"minimumHealthyPercent":0}})");
  run_until_quiet("gpu");
  EXPECT_EQ(revisions("gpu"), std::pair(0, 1)) << "and ends when the new one runs";
  EXPECT_THAT(*describe_service("gpu").deployments, SizeIs(1));
}

TEST_F(Deployments, ARollbackDoesNotReturnToADeploymentThatFailedAsItsTarget) {
  add_machine("a", 4);
  create(R"({"serviceName":"gpu","taskDefinition":"one:1","desiredCount":1,"deploymentConfiguration":{
            "deploymentCircuitBreaker":{"enable":true,"rollback":true},"minimumHealthyPercent":0,
            "maximumPercent":100}})");
  run_until_quiet("gpu");
  const std::string first = *describe_service("gpu").deployments->at(0).id;
  const std::string second = *update(R"({"service":"gpu","forceNewDeployment":true})").deployments->at(0).id;
  run_until_quiet("gpu");
  register_next();
  const model::TaskId old = tasks("gpu").at(0).id;
  update(R"({"service":"gpu","taskDefinition":"one"})");
  report_status(old, "STOPPED");
  settle();
  fail_starts("gpu", 3);
  EXPECT_EQ(describe_service("gpu").deployments->at(0).id, second) << "rolled back";
  fail_starts("gpu", 3);
  EXPECT_EQ(describe_service("gpu").deployments->at(0).rolloutState, "FAILED");
  EXPECT_EQ(status_of_last_change("gpu"), "ROLLBACK_FAILED");
  update(R"({"service":"gpu","taskDefinition":"one"})");
  fail_starts("gpu", 3);
  EXPECT_EQ(describe_service("gpu").deployments->at(0).id, first);
}

TEST_F(Deployments, AnAlarmThatWasThereBeforeIsNotWatched) {
  add_machine("a", 4);
  alarms_.in_alarm = {"slow"};
  create(R"({"serviceName":"gpu","taskDefinition":"one:1","desiredCount":1,"deploymentConfiguration":{
            "alarms":{"alarmNames":["slow"],"enable":true,"rollback":true},"minimumHealthyPercent":100}})");
  run_until_quiet("gpu");
  EXPECT_EQ(status_of_last_change("gpu"), "SUCCESSFUL");
}

TEST_F(Deployments, ProtectedTasksOutliveADeploymentUntilTheirProtectionEnds) {
  add_machine("a", 4);
  create(R"({"serviceName":"gpu","taskDefinition":"one:1","desiredCount":1,
            "deploymentConfiguration":{"minimumHealthyPercent":100}})");
  run_until_quiet("gpu");
  const std::string old = tasks("gpu").at(0).id.str();
  run_json(&update_task_protection,
           R"({"cluster":"default","tasks":[")" + old + R"("],"protectionEnabled":true,"expiresInMinutes":60})");
  register_next();
  update(R"({"service":"gpu","taskDefinition":"one"})");
  obey("gpu");
  settle_for(kProven);
  EXPECT_EQ(revisions("gpu"), std::pair(1, 1));
  EXPECT_THAT(events("gpu"), Contains(HasSubstr("was unable to scale in due to (reason 1 tasks under protection)")));
  settle_for(std::chrono::minutes(61));
  EXPECT_EQ(revisions("gpu"), std::pair(0, 1));
}

TEST_F(Deployments, ManyUpdatesInARowEndWithTheLastRevision) {
  add_machine("a", 2);
  create(R"({"serviceName":"gpu","taskDefinition":"one:1","desiredCount":2})");
  for (int i = 0; i < 20; ++i) {
    update(R"({"service":"gpu","forceNewDeployment":true})");
    if (i % 3 == 0) obey("gpu");
    settle();
  }
  run_until_quiet("gpu");
  ASSERT_THAT(tasks("gpu"), SizeIs(2));
  const auto service = describe_service("gpu");
  ASSERT_THAT(*service.deployments, SizeIs(1));
  EXPECT_EQ(service.deployments->at(0).rolloutState, "COMPLETED");
}

class VersionConsistency : public ReconciliationTest {
 protected:
  // The image of the newest task, as its agent gets it.
  std::string image_sent() {
    std::string image;
    with_call([&](Call& call) {
      image = work_for(call, admit(call, "default", machine_), {}).tasks.back().containers.at(0).image;
    });
    return image;
  }
  void report_digest(const model::TaskId& task) {
    report_status(task, "RUNNING", R"(,"containers":[{"containerName":"c","imageDigest":"sha256:abc"}])");
    settle();
  }
  void replace(const model::TaskId& task) {
    now_ += std::chrono::minutes(1);
    report_status(task, "STOPPED");
    settle();
  }
  const std::string machine_ = add_machine("a", 0);
};

TEST_F(VersionConsistency, LaterTasksRunTheVersionThatTheFirstOnePulled) {
  register_json(R"({"family":"tag","containerDefinitions":[{"name":"c","image":"r:5000/web:3","memory":16}]})");
  create(R"({"serviceName":"web","taskDefinition":"tag","desiredCount":1})");
  EXPECT_EQ(image_sent(), "r:5000/web:3");
  const model::TaskId first = tasks("web").at(0).id;
  report_digest(first);
  replace(first);
  EXPECT_EQ(image_sent(), "r:5000/web@sha256:abc");
  const std::string id = describe_service("web").deployments->at(0).id->substr(8);
  const auto revisions = run_json(
      &describe_service_revisions,
      R"({"serviceRevisionArns":["arn:aws:ecs:us-east-1:111111111111:service-revision/default/web/)" + id + "\"]}");
  EXPECT_EQ(revisions.serviceRevisions->at(0).containerImages->at(0).imageDigest, "sha256:abc");
  update(R"({"service":"web","forceNewDeployment":true})");
  EXPECT_EQ(image_sent(), "r:5000/web:3") << "resolved again";
}

TEST_F(VersionConsistency, ATagThatIsNotToBeResolvedStaysATag) {
  register_json(R"({"family":"tag","containerDefinitions":[{"name":"c","image":"web:3","memory":16,
                   "versionConsistency":"disabled"}]})");
  create(R"({"serviceName":"web","taskDefinition":"tag","desiredCount":1})");
  const model::TaskId first = tasks("web").at(0).id;
  report_digest(first);
  replace(first);
  EXPECT_EQ(image_sent(), "web:3");
}

TEST_F(VersionConsistency, TheFirstTaskStartsAloneAndTheOthersRunItsVersion) {
  register_json(R"({"family":"tag","containerDefinitions":[{"name":"c","image":"web:3","memory":16}]})");
  create(R"({"serviceName":"web","taskDefinition":"tag","desiredCount":3})");
  ASSERT_THAT(tasks("web"), SizeIs(1));
  EXPECT_EQ(image_sent(), "web:3");
  report_digest(tasks("web").at(0).id);
  EXPECT_THAT(tasks("web"), SizeIs(3));
  EXPECT_EQ(image_sent(), "web@sha256:abc");
}

TEST_F(VersionConsistency, ATaskThatRunsWithoutADigestHoldsUpNoOthers) {
  register_json(R"({"family":"tag","containerDefinitions":[{"name":"c","image":"web:3","memory":16}]})");
  create(R"({"serviceName":"web","taskDefinition":"tag","desiredCount":3})");
  report_status(tasks("web").at(0).id, "RUNNING");
  settle();
  EXPECT_THAT(tasks("web"), SizeIs(3));
  EXPECT_EQ(image_sent(), "web:3");
}

TEST_F(VersionConsistency, AfterThreeAttemptsADeploymentContinuesWithItsTags) {
  register_json(R"({"family":"tag","containerDefinitions":[{"name":"c","image":"web:3","memory":16}]})");
  create(R"({"serviceName":"web","taskDefinition":"tag","desiredCount":8})");
  for (int attempts = 0; attempts < 3; ++attempts) {
    ASSERT_THAT(tasks("web"), SizeIs(1));
    report_status(tasks("web").at(0).id, "STOPPED");
    settle();
  }
  settle_for(scheduler::kFirstBackOff);
  EXPECT_THAT(tasks("web"), SizeIs(8));
}

TEST_F(VersionConsistency, AfterThreeAttemptsTheCircuitBreakerOpens) {
  register_json(R"({"family":"tag","containerDefinitions":[{"name":"c","image":"web:3","memory":16}]})");
  create(R"({"serviceName":"web","taskDefinition":"tag","desiredCount":8,
             "deploymentConfiguration":{"deploymentCircuitBreaker":{"enable":true,"rollback":false}}})");
  for (int attempts = 0; attempts < 3; ++attempts) {
    ASSERT_THAT(tasks("web"), SizeIs(1));
    report_status(tasks("web").at(0).id, "STOPPED");
    settle();
  }
  EXPECT_EQ(describe_service("web").deployments->at(0).rolloutState, "FAILED");
}

class Daemons : public ReconciliationTest {};

TEST_F(Daemons, ADaemonIsValidWithoutMachinesAndStartsAsSoonAsOneJoins) {
  create(R"({"serviceName":"d","taskDefinition":"plain","schedulingStrategy":"DAEMON"})");
  EXPECT_THAT(tasks("d"), IsEmpty());
  const std::string machine = add_machine("a", 0);
  settle();
  ASSERT_THAT(tasks("d"), SizeIs(1));
  EXPECT_THAT(loop_wakes_, Contains(wake_of(machine)));
  EXPECT_EQ(describe_service("d").desiredCount, 1);
  add_machine("b", 0);
  settle();
  EXPECT_THAT(tasks("d"), SizeIs(2));
  run_until_quiet("d");
  EXPECT_EQ(last_event("d"), "has reached a steady state.");
}

TEST_F(Daemons, OnADrainingMachineADaemonStopsLast) {
  const std::string machine = add_machine("a", 0);
  add_machine("b", 0);
  create(R"({"serviceName":"d","taskDefinition":"plain","schedulingStrategy":"DAEMON"})");
  run_until_quiet("d");
  const Task other =
      run_json(&start_task, R"({"taskDefinition":"plain","containerInstances":[")" + machine + "\"]}").tasks->at(0);
  set_status(machine, "DRAINING");
  settle();
  EXPECT_THAT(wanted_tasks("d"), SizeIs(2));
  report(other, "STOPPED");
  settle();
  EXPECT_THAT(wanted_tasks("d"), SizeIs(1));
  run_until_quiet("d");
  set_status(machine, "ACTIVE");
  settle();
  EXPECT_THAT(wanted_tasks("d"), SizeIs(2));
}

TEST_F(Daemons, AnUpdateReplacesTheTaskOfEachMachine) {
  add_machine("a", 1);
  add_machine("b", 1);
  create(R"({"serviceName":"d","taskDefinition":"one","schedulingStrategy":"DAEMON"})");
  run_until_quiet("d");
  const auto before = tasks("d");
  update(R"({"service":"d","forceNewDeployment":true})");
  run_until_quiet("d");
  const auto after = tasks("d");
  ASSERT_THAT(after, SizeIs(2));
  EXPECT_NE(after[0].machine, after[1].machine);
  for (const state::ServiceTask& task : before) {
    EXPECT_TRUE(std::ranges::none_of(after, [&](const auto& one) { return one.id == task.id; }));
  }
}

TEST_F(Daemons, ADisconnectedMachineKeepsItsTask) {
  const std::string machine = add_machine("a", 0);
  create(R"({"serviceName":"d","taskDefinition":"plain","schedulingStrategy":"DAEMON"})");
  run_until_quiet("d");
  with_call([&](Call& call) { set_connected(call, model::InstanceId(machine), false); });
  settle();
  EXPECT_THAT(wanted_tasks("d"), SizeIs(1));
  EXPECT_EQ(describe_service("d").desiredCount, 1);
}

}  // namespace
}  // namespace services::ecs
