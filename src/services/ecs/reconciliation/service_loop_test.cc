// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/reconciliation/service_loop.h"

#include <thread>

#include "services/ecs/reconciliation/reconciliation_fixture.h"
#include "services/ecs/reconciliation/service_events.h"

namespace services::ecs {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

class ServiceLoop : public ReconciliationTest {
 protected:
  void move_to_zone(const std::string& machine, const std::string& zone) {
    with_call([&](Call& call) {
      auto instance = load_instance(call.tx, model::InstanceId(machine));
      for (Attribute& attribute : *instance->body.attributes) {
        if (attribute.name == "ecs.availability-zone") attribute.value = zone;
      }
      update_instance(call.tx, *instance);
      put_in_fleet(call, *instance);
    });
  }

  const std::string machine_ = add_machine("a", 2);
};

TEST_F(ServiceLoop, ANewServiceStartsItsTasksAtOnceAndWakesTheirMachine) {
  const auto service = create(R"({"serviceName":"web","taskDefinition":"plain","desiredCount":2})");
  const auto started = tasks("web");
  ASSERT_THAT(started, SizeIs(2));
  EXPECT_THAT(loop_wakes_, Contains(wake_of(machine_)));
  const Task task = run_json(&describe_tasks, R"({"tasks":[")" + started[0].id.str() + "\"]}").tasks->at(0);
  EXPECT_EQ(task.group, "service:web");
  EXPECT_EQ(task.startedBy, service.deployments->at(0).id);
  EXPECT_THAT(events("web"), ElementsAre("has started 2 tasks: (task " + started[0].id.str() + ") (task " +
                                         started[1].id.str() + ")."));
}

TEST_F(ServiceLoop, MoreTasksThanALaunchMayHaveAreSeveralLaunches) {
  create(R"({"serviceName":"web","taskDefinition":"plain","desiredCount":25})");
  EXPECT_THAT(tasks("web"), SizeIs(25));
}

TEST_F(ServiceLoop, ATaskThatDiesIsReplacedInTheNextLook) {
  create(R"({"serviceName":"web","taskDefinition":"plain","desiredCount":1})");
  run_until_quiet("web");
  now_ += std::chrono::minutes(1);
  const model::TaskId dead = tasks("web").at(0).id;
  report_status(dead, "STOPPED");
  EXPECT_THAT(wakes_, Contains(std::string(state::kServicesTopic)));
  apply(look());
  ASSERT_THAT(tasks("web"), SizeIs(1));
  EXPECT_NE(tasks("web")[0].id, dead);
  EXPECT_THAT(loop_wakes_, Contains(wake_of(machine_)));
}

TEST_F(ServiceLoop, ADeploymentIsCompletedWhenItsTasksHaveProvedThemselves) {
  create(R"({"serviceName":"web","taskDefinition":"plain","desiredCount":1})");
  obey("web");
  settle();
  EXPECT_EQ(describe_service("web").deployments->at(0).rolloutState, "IN_PROGRESS");
  settle_for(kProven);
  const auto service = describe_service("web");
  EXPECT_EQ(service.deployments->at(0).rolloutState, "COMPLETED");
  EXPECT_EQ(service.deployments->at(0).rolloutStateReason,
            "ECS deployment " + *service.deployments->at(0).id + " completed.");
  const auto all = events("web");
  ASSERT_THAT(all, SizeIs(3));
  EXPECT_EQ(all[0], "has reached a steady state.");
  EXPECT_EQ(all[1], "(deployment " + *service.deployments->at(0).id + ") deployment completed.");
  const auto changes = run_json(&list_service_deployments, R"({"service":"web"})").serviceDeployments;
  EXPECT_EQ(changes->at(0).status, "SUCCESSFUL");
}

TEST_F(ServiceLoop, AnUnchangedServiceIsNotLookedAt) {
  create(R"({"serviceName":"web","taskDefinition":"plain","desiredCount":2})");
  run_until_quiet("web");
  EXPECT_THAT(service_queue_.due(now_ + std::chrono::hours(1), 100), IsEmpty());
  const Task other = run_family("plain").tasks->at(0);
  report(other, "RUNNING");
  report(other, "STOPPED");
  EXPECT_THAT(service_queue_.due(now_ + std::chrono::hours(1), 100), IsEmpty())
      << "what other tasks do is nothing to a service that does not wait";
}

TEST_F(ServiceLoop, TheSteadyStateIsRepeatedEverySixHours) {
  create(R"({"serviceName":"web","taskDefinition":"plain","desiredCount":1})");
  run_until_quiet("web");
  const std::size_t before = events("web").size();
  ASSERT_TRUE(next_.has_value());
  settle_for(std::chrono::hours(13));
  EXPECT_EQ(events("web").size(), before + 2);
  EXPECT_EQ(last_event("web"), "has reached a steady state.");
}

TEST_F(ServiceLoop, ScalingInStopsTasksWithAmazonsReason) {
  const auto service = create(R"({"serviceName":"web","taskDefinition":"plain","desiredCount":3})");
  run_until_quiet("web");
  update(R"({"service":"web","desiredCount":1})");
  EXPECT_THAT(wanted_tasks("web"), SizeIs(1));
  EXPECT_THAT(last_event("web"), StartsWith("has stopped 2 running tasks: (task "));
  EXPECT_THAT(loop_wakes_, Contains(wake_of(machine_)));
  for (const state::ServiceTask& task : tasks("web")) {
    if (task.desired == model::DesiredStatus::Running) continue;
    EXPECT_EQ(task.stop_code, "ServiceSchedulerInitiated");
    EXPECT_EQ(task.stopped_reason, "Scaling activity initiated by (deployment " + *service.deployments->at(0).id + ")");
  }
  run_until_quiet("web");
  EXPECT_THAT(tasks("web"), SizeIs(1));
}

TEST_F(ServiceLoop, ManyTasksAreStoppedInSeveralTurns) {
  create(R"({"serviceName":"web","taskDefinition":"plain","desiredCount":150})");
  run_until_quiet("web");
  ASSERT_THAT(tasks("web"), SizeIs(150));
  update(R"({"service":"web","desiredCount":0})");
  EXPECT_THAT(wanted_tasks("web"), IsEmpty());
  EXPECT_THAT(events("web"), Contains(StartsWith("has stopped 100 running tasks: ")));
  EXPECT_THAT(events("web"), Contains(StartsWith("has stopped 50 running tasks: ")));
  run_until_quiet("web");
  update(R"({"service":"web","desiredCount":150})");
  run_json(&delete_service, R"({"service":"web","force":true})");
  settle();
  EXPECT_THAT(wanted_tasks("web"), IsEmpty());
  EXPECT_EQ(describe_service("web").status, "INACTIVE");
}

TEST_F(ServiceLoop, AStalePlanIsNotCarriedOut) {
  run_json(&create_service, R"({"serviceName":"web","taskDefinition":"plain","desiredCount":2})");
  const Decision stale = look();
  ASSERT_TRUE(stale.apply);
  run_json(&update_service, R"({"service":"web","desiredCount":0})");
  apply(stale);
  EXPECT_THAT(tasks("web"), IsEmpty());
  settle();
  EXPECT_THAT(tasks("web"), IsEmpty());
}

TEST_F(ServiceLoop, APlanMadeBeforeATaskEndedIsNotCarriedOut) {
  create(R"({"serviceName":"web","taskDefinition":"plain","desiredCount":1})");
  run_until_quiet("web");
  now_ += std::chrono::minutes(1);
  run_json(&update_service, R"({"service":"web","desiredCount":0})");
  const Decision stale = look();
  ASSERT_TRUE(stale.apply);
  report_status(tasks("web").at(0).id, "STOPPED");
  apply(stale);
  settle();
  EXPECT_THAT(tasks("web"), IsEmpty());
  EXPECT_THAT(events("web"), testing::Not(Contains(StartsWith("has stopped"))));
}

TEST_F(ServiceLoop, ATaskThatIsProtectedAfterAPlanIsNotStoppedByIt) {
  create(R"({"serviceName":"web","taskDefinition":"plain","desiredCount":2})");
  run_until_quiet("web");
  run_json(&update_service, R"({"service":"web","desiredCount":1})");
  const Decision stale = look();
  ASSERT_TRUE(stale.apply);
  const std::string kept = tasks("web").at(1).id.str();
  run_json(&update_task_protection, R"({"cluster":"default","tasks":[")" + kept + R"("],"protectionEnabled":true})");
  apply(stale);
  EXPECT_THAT(wanted_tasks("web"), SizeIs(2)) << "the plan is stale";
  settle();
  ASSERT_THAT(wanted_tasks("web"), SizeIs(1));
  EXPECT_EQ(wanted_tasks("web")[0].id.str(), kept);
}

TEST_F(ServiceLoop, ADeletedServiceStopsItsTasksAndIsInactiveThen) {
  create(R"({"serviceName":"web","taskDefinition":"plain","desiredCount":2})");
  run_until_quiet("web");
  run_json(&delete_service, R"({"service":"web","force":true})");
  EXPECT_EQ(describe_service("web").status, "DRAINING");
  settle();
  EXPECT_EQ(describe_service("web").status, "INACTIVE");
  EXPECT_THAT(wanted_tasks("web"), IsEmpty());
  EXPECT_THAT(loop_wakes_, Contains(wake_of(machine_)));
  obey("web");
  settle();
  EXPECT_THAT(tasks("web"), IsEmpty());
  create(R"({"serviceName":"web","taskDefinition":"plain","desiredCount":1})");
  EXPECT_THAT(tasks("web"), SizeIs(1)) << "the name is free";
}

TEST_F(ServiceLoop, EveryLivingServiceIsLookedAtAfterAStart) {
  run_json(&create_service, R"({"serviceName":"web","taskDefinition":"plain","desiredCount":1})");
  for (const ServiceQueue::Due& due : service_queue_.due(now_, 100)) service_queue_.remove(due.service);
  settle();
  EXPECT_THAT(tasks("web"), IsEmpty());
  with_call([&](Call& call) { recover_services(call); });
  settle();
  EXPECT_THAT(tasks("web"), SizeIs(1));
}

TEST_F(ServiceLoop, AServiceWaitsForAMachineWithRoomAndStartsWhenOneJoins) {
  create(R"({"serviceName":"gpu","taskDefinition":"four","desiredCount":1})");
  EXPECT_THAT(tasks("gpu"), IsEmpty());
  const auto all = events("gpu");
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(
      all[1],
      "was unable to place a task because no container instance met all of its requirements. The closest matching "
      "(container-instance " +
          machine_ +
          ") has insufficient GPU resource available. For more information, see "
          "the Troubleshooting section of the Amazon ECS Developer Guide.");
  settle_for(std::chrono::hours(1));
  EXPECT_THAT(events("gpu"), SizeIs(2)) << "the same message is not repeated";
  settle_for(std::chrono::hours(6));
  EXPECT_THAT(events("gpu"), SizeIs(4)) << "but for every six hours";
  const std::string large = add_machine("b", 4);
  settle();
  ASSERT_THAT(tasks("gpu"), SizeIs(1));
  EXPECT_EQ(tasks("gpu")[0].machine.str(), large);
}

TEST_F(ServiceLoop, OnAMachineThatJoinsADaemonStartsFirst) {
  register_json(R"({"family":"big","containerDefinitions":[{"name":"c","image":"busybox","memory":8000,
                   "versionConsistency":"disabled"}]})");
  create(R"({"serviceName":"big","taskDefinition":"big","desiredCount":2})");
  create(R"({"serviceName":"d","taskDefinition":"plain","schedulingStrategy":"DAEMON"})");
  EXPECT_THAT(tasks("big"), SizeIs(1));
  EXPECT_THAT(tasks("d"), IsEmpty());
  const std::string joined = add_machine("b", 0);
  settle();
  ASSERT_THAT(tasks("d"), SizeIs(1));
  EXPECT_EQ(tasks("d")[0].machine.str(), joined);
  EXPECT_THAT(tasks("big"), SizeIs(1)) << "it has room where the daemon does not run";
}

TEST_F(ServiceLoop, AServiceThatWaitsStartsWhenAnotherTaskStops) {
  const Task first = run_family("one").tasks->at(0), second = run_family("one").tasks->at(0);
  create(R"({"serviceName":"gpu","taskDefinition":"one","desiredCount":1})");
  EXPECT_THAT(tasks("gpu"), IsEmpty());
  EXPECT_THAT(last_event("gpu"), HasSubstr("waits for a GPU: GPU-a0 on a is held by (task "));
  EXPECT_THAT(last_event("gpu"), HasSubstr(" of one:1. It continues when that task stops, or with another GPU."));
  report(first, "STOPPED");
  EXPECT_THAT(wakes_, Contains(std::string(state::kServicesTopic)));
  settle();
  EXPECT_THAT(tasks("gpu"), SizeIs(1));
}

TEST_F(ServiceLoop, AServiceThatWaitsIsLookedAtWhenACallReturnsTheRoomThatItTook) {
  const Task first = run_family("one").tasks->at(0), second = run_family("one").tasks->at(0);
  create(R"({"serviceName":"gpu","taskDefinition":"one","desiredCount":1})");
  report(second, "STOPPED");
  std::vector<std::string> wakes;
  const auto take_and_fail = [&](Call& call) {
    run_task(call, {.taskDefinition = "one"});
    // Meanwhile the loop looks, and finds no room.
    std::thread([&] { EXPECT_FALSE(look().apply); }).join();
    for (const Wake& wake : call.wakes_if_failed) wakes.push_back(wake.topic);
    throw std::runtime_error("too large");
  };
  EXPECT_THROW(with_call(take_and_fail), std::runtime_error);
  EXPECT_THAT(wakes, Contains(std::string(state::kServicesTopic)));
  settle();
  EXPECT_THAT(tasks("gpu"), SizeIs(1));
}

TEST_F(ServiceLoop, AnObstacleThatChangesIsAnnouncedAtItsOwnPace) {
  Task holder = run_family("one").tasks->at(0);
  run_family("one");
  create(R"({"serviceName":"gpu","taskDefinition":"one","desiredCount":1})");
  const std::string first = last_event("gpu");
  const auto count = events("gpu").size();
  for (int i = 0; i < 3; ++i) {
    report(holder, "STOPPED");
    holder = run_family("one").tasks->at(0);
    settle();
  }
  EXPECT_THAT(tasks("gpu"), IsEmpty());
  EXPECT_THAT(events("gpu"), SizeIs(count)) << "another task holds the GPU by now";
  ASSERT_EQ(next_, now_ + kChangedEventAfter);
  settle_for(kChangedEventAfter);
  EXPECT_THAT(events("gpu"), SizeIs(count + 1));
  EXPECT_THAT(last_event("gpu"), HasSubstr("waits for a GPU: GPU-a0 on a is held by (task "));
  EXPECT_NE(last_event("gpu"), first);
  settle_for(std::chrono::hours(1));
  EXPECT_THAT(events("gpu"), SizeIs(count + 1));
}

TEST_F(ServiceLoop, WithoutAStrategyTasksAreSpreadOverZonesThenMachines) {
  const std::string second = add_machine("b", 0), third = add_machine("c", 0);
  move_to_zone(third, "us-east-1b");
  create(R"({"serviceName":"web","taskDefinition":"plain","desiredCount":4})");
  std::map<std::string, int> counts;
  for (const state::ServiceTask& task : tasks("web")) ++counts[task.machine.str()];
  EXPECT_EQ(counts, (std::map<std::string, int>{{machine_, 1}, {second, 1}, {third, 2}}));
}

TEST_F(ServiceLoop, AClusterWithoutMachinesIsReportedAsAmazonDoes) {
  run_json(&create_cluster, R"({"clusterName":"empty"})");
  run_json(&create_service, R"({"cluster":"empty","serviceName":"web","taskDefinition":"plain","desiredCount":1})");
  settle();
  const auto service = run_json(&describe_services, R"({"cluster":"empty","services":["web"]})").services->at(0);
  ASSERT_THAT(*service.events, SizeIs(1));
  EXPECT_EQ(
      service.events->at(0).message,
      "(service web) was unable to place a task because no container instance met all of its requirements. Reason: "
      "No Container Instances were found in your cluster. For more information, see the Troubleshooting section of "
      "the Amazon ECS Developer Guide.");
}

TEST_F(ServiceLoop, ATaskThatKeepsFailingIsStartedEverMoreRarely) {
  create(R"({"serviceName":"web","taskDefinition":"plain","desiredCount":1})");
  for (int failures = 1; failures <= 3; ++failures) {
    ASSERT_THAT(tasks("web"), SizeIs(1));
    report_status(tasks("web")[0].id, "STOPPED");
    settle();
  }
  EXPECT_THAT(tasks("web"), IsEmpty());
  const std::string impaired =
      "is unable to consistently start tasks successfully. For more information, see the Troubleshooting section of "
      "the "
      "Amazon ECS Developer Guide.";
  EXPECT_EQ(last_event("web"), impaired);
  EXPECT_EQ(describe_service("web").deployments->at(0).failedTasks, 3);
  ASSERT_EQ(next_, now_ + scheduler::kFirstBackOff);
  now_ = *next_;
  settle();
  ASSERT_THAT(tasks("web"), SizeIs(1));
  report_status(tasks("web")[0].id, "STOPPED");
  settle();
  EXPECT_EQ(next_, now_ + 2 * scheduler::kFirstBackOff);
  const auto announced = [&] { return std::ranges::count(events("web"), impaired); };
  EXPECT_EQ(announced(), 1) << "a start that was tried in between is no end of the failures";
  settle_for(kRepeatEventsAfter);
  EXPECT_EQ(announced(), 2) << "after six hours";
  report_status(tasks("web").at(0).id, "STOPPED");
  settle();
  update(R"({"service":"web","forceNewDeployment":true})");
  EXPECT_THAT(tasks("web"), SizeIs(1)) << "an update ends the back-off";
  for (int failures = 1; failures <= 3; ++failures) {
    report_status(tasks("web").at(0).id, "STOPPED");
    settle();
  }
  EXPECT_EQ(announced(), 3) << "of the new deployment";
}

TEST_F(ServiceLoop, ATaskThatIsStoppedByAClientIsReplacedAndCountsNotAsFailed) {
  create(R"({"serviceName":"web","taskDefinition":"plain","desiredCount":1})");
  const model::TaskId first = tasks("web").at(0).id;
  run_json(&stop_task, R"({"task":")" + first.str() + "\"}");
  settle();
  EXPECT_THAT(wanted_tasks("web"), SizeIs(1));
  report_status(first, "STOPPED");
  settle();
  EXPECT_EQ(describe_service("web").deployments->at(0).failedTasks, 0);
  EXPECT_THAT(tasks("web"), SizeIs(1));
}

TEST_F(ServiceLoop, AnUnhealthyTaskIsReplacedBeforeItIsStopped) {
  const TaskDefinition checked =
      register_json(R"({"family":"checked","containerDefinitions":[{"name":"c","image":"i","memory":16,
                       "healthCheck":{"command":["CMD","true"]}}]})");
  with_call([&](Call& call) {
    auto instance = load_instance(call.tx, model::InstanceId(machine_));
    for (const Attribute& attribute : *checked.requiresAttributes) instance->body.attributes->push_back(attribute);
    update_instance(call.tx, *instance);
    put_in_fleet(call, *instance);
  });
  create(R"({"serviceName":"web","taskDefinition":"checked","desiredCount":1})");
  obey("web");
  const auto health = [&](const model::TaskId& task, const std::string& status) {
    with_call([&](Call& call) {
      shapes::agent::PublishHealthRequest request;
      request.tasks.resize(1);
      request.tasks[0].taskArn = task.str();
      request.tasks[0].containers.push_back({.containerName = "c", .healthStatus = status});
      store_health(call, admit(call, "default", machine_), request);
    });
    settle();
  };
  const model::TaskId first = tasks("web").at(0).id;
  health(first, "HEALTHY");
  settle_for(kProven);
  health(first, "UNHEALTHY");
  ASSERT_THAT(wanted_tasks("web"), SizeIs(2));
  EXPECT_THAT(last_event("web"), testing::EndsWith(" Amazon ECS replaced 1 tasks due to an unhealthy status."));
  const model::TaskId second = wanted_tasks("web").at(1).id;
  report_status(second, "RUNNING");
  health(second, "HEALTHY");
  ASSERT_THAT(wanted_tasks("web"), SizeIs(1));
  EXPECT_EQ(wanted_tasks("web")[0].id, second);
  EXPECT_THAT(events("web"), Contains("(task " + first.str() + ") failed container health checks."));
  EXPECT_EQ(tasks("web").at(0).stopped_reason, "Task failed container health checks");
}

TEST_F(ServiceLoop, TasksMoveToAZoneThatHasTooFew) {
  create(R"({"serviceName":"web","taskDefinition":"plain","desiredCount":2,"availabilityZoneRebalancing":"ENABLED"})");
  run_until_quiet("web");
  move_to_zone(add_machine("b", 0), "us-east-1b");
  run_until_quiet("web");
  ASSERT_THAT(tasks("web"), SizeIs(2));
  EXPECT_NE(tasks("web")[0].machine, tasks("web")[1].machine);
  const auto all = events("web");
  EXPECT_THAT(all, Contains("is not AZ balanced with 2 tasks in us-east-1a, 0 tasks in us-east-1b. AZ Rebalancing in "
                            "progress."));
  EXPECT_THAT(all, Contains(StartsWith("has started 1 tasks in us-east-1b to AZ Rebalance: (task ")));
  EXPECT_THAT(all, Contains(StartsWith("has stopped 1 running tasks in us-east-1a due to AZ rebalancing: (task ")));
  EXPECT_THAT(all, Contains("is AZ balanced with 1 tasks in us-east-1a, 1 tasks in us-east-1b."));
}

TEST_F(ServiceLoop, ReplicasLeaveADrainingMachine) {
  create(R"({"serviceName":"web","taskDefinition":"plain","desiredCount":2})");
  run_until_quiet("web");
  const std::string other = add_machine("b", 0);
  set_status(machine_, "DRAINING");
  run_until_quiet("web");
  ASSERT_THAT(tasks("web"), SizeIs(2));
  for (const state::ServiceTask& task : tasks("web")) EXPECT_EQ(task.machine.str(), other);
}

TEST_F(ServiceLoop, TasksOfALostMachineAreReplacedAndCountNotAsFailed) {
  create(R"({"serviceName":"web","taskDefinition":"plain","desiredCount":2})");
  run_until_quiet("web");
  const std::string other = add_machine("b", 0);
  run_json(&deregister_container_instance, R"({"force":true,"containerInstance":")" + machine_ + "\"}");
  settle();
  ASSERT_THAT(tasks("web"), SizeIs(2));
  for (const state::ServiceTask& task : tasks("web")) EXPECT_EQ(task.machine.str(), other);
  EXPECT_EQ(describe_service("web").deployments->at(0).failedTasks, 0);
}

TEST_F(ServiceLoop, TasksCarryTheTagsOfTheirService) {
  create(R"({"serviceName":"web","taskDefinition":"plain","desiredCount":1,"enableECSManagedTags":true,
            "propagateTags":"SERVICE","tags":[{"key":"team","value":"red"}]})");
  const std::string id = tasks("web").at(0).id.str();
  const Task task = run_json(&describe_tasks, R"({"include":["TAGS"],"tasks":[")" + id + "\"]}").tasks->at(0);
  std::map<std::string, std::string> tags;
  for (const Tag& tag : *task.tags) tags[tag.key.value_or("")] = tag.value.value_or("");
  EXPECT_THAT(
      tags, testing::UnorderedElementsAre(testing::Pair("team", "red"), testing::Pair("aws:ecs:clusterName", "default"),
                                          testing::Pair("aws:ecs:serviceName", "web")));
}

}  // namespace
}  // namespace services::ecs
