// SPDX-License-Identifier: Apache-2.0
// stoker services, stoker service scale|update|rollback|events|delete.
#include <gmock/gmock.h>

#include <sstream>

#include "cli/fake_server.h"
#include "cli/rows.h"

namespace cli {
namespace {

using shapes::ecs::Deployment;
using shapes::ecs::Service;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kWeb[] = R"({"services":[{"serviceName":"web","status":"ACTIVE","desiredCount":2,"runningCount":1,
    "pendingCount":1,"taskDefinition":"arn:aws:ecs:r:0:task-definition/web:3","schedulingStrategy":"REPLICA",
    "deploymentConfiguration":{"minimumHealthyPercent":50,"maximumPercent":200,
      "deploymentCircuitBreaker":{"enable":true,"rollback":true}},
    "deployments":[{"id":"ecs-svc/1","status":"PRIMARY","desiredCount":2,"runningCount":1,"failedTasks":0,
      "rolloutState":"IN_PROGRESS"}]}],"failures":[]})";
constexpr char kMissing[] = R"({"services":[],"failures":[{"arn":"web","reason":"MISSING"}]})";

Service steady_service() {
  Service service;
  service.serviceName = "web";
  service.status = "ACTIVE";
  service.taskDefinition = "arn:aws:ecs:r:0:task-definition/web:3";
  service.desiredCount = service.runningCount = 2;
  service.pendingCount = 0;
  service.createdAt = base::from_seconds(1000);
  Deployment primary;
  primary.status = "PRIMARY";
  primary.desiredCount = primary.runningCount = 2;
  primary.failedTasks = 0;
  primary.rolloutState = "COMPLETED";
  service.deployments = {primary};
  return service;
}

TEST(ServiceRow, HasDefinitionCountsStateAndAge) {
  EXPECT_THAT(service_row(steady_service(), base::from_seconds(1000 + 300)),
              ElementsAre("web", "web:3", "2", "2", "0", "steady", "5 min"));
}

TEST(ServiceState, FollowsTheStatusAndThePrimaryDeployment) {
  Service service = steady_service();
  Deployment& primary = service.deployments->front();
  service.runningCount = 3;
  EXPECT_EQ(service_state(service), "scaling in");
  service.runningCount = primary.runningCount = 1;
  EXPECT_EQ(service_state(service), "starting 1 of 2");
  primary.rolloutState = "IN_PROGRESS";
  EXPECT_EQ(service_state(service), "deploying 1 of 2");
  primary.rolloutStateReason = "ECS deployment circuit breaker: rolling back to deploymentId ecs-svc/1.";
  EXPECT_EQ(service_state(service), "rolling back 1 of 2");
  primary.failedTasks = 4;
  EXPECT_EQ(service_state(service), "failing: 4 in a row");
  primary.rolloutState = "FAILED";
  EXPECT_EQ(service_state(service), "failed");
  service.status = "DRAINING";
  EXPECT_EQ(service_state(service), "draining");
}

class ServiceCommands : public FakeServer {
 protected:
  void reply_services() {
    reply("ListServices", R"({"serviceArns":["arn:aws:ecs:r:0:service/default/web"]})");
    reply("DescribeServices", kWeb);
  }
  template <class Run>
  std::string error_of(Run run) {
    try {
      run();
      return "";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }

  std::ostringstream out_;
};

TEST_F(ServiceCommands, ServicesIsATable) {
  reply_services();
  EXPECT_EQ(services(options_, out_), 0);
  EXPECT_EQ(out_.str(),
            "SERVICE  DEFINITION  DESIRED  RUNNING  PENDING  STATE             AGE\n"
            "web      web:3       2        1        1        deploying 1 of 2  -\n");
}

TEST_F(ServiceCommands, ServicesPrintsJson) {
  reply_services();
  options_.json = true;
  EXPECT_EQ(services(options_, out_), 0);
  EXPECT_THAT(out_.str(), testing::StartsWith(R"({"services":[{"serviceName":"web")"));
}

TEST_F(ServiceCommands, WithoutServicesTheClusterIsNamed) {
  reply("ListServices", R"({"serviceArns":[]})");
  EXPECT_EQ(services(options_, out_), 0);
  EXPECT_THAT(out_.str(), HasSubstr("no services in cluster default"));
}

TEST_F(ServiceCommands, ScaleChangesTheDesiredCountAlone) {
  reply("DescribeServices", kWeb);
  reply("UpdateService", R"({"service":{"serviceName":"web","status":"ACTIVE","desiredCount":5,"runningCount":1,
      "taskDefinition":"arn:aws:ecs:r:0:task-definition/web:3","deployments":[{"status":"PRIMARY","desiredCount":5,
      "runningCount":1,"rolloutState":"IN_PROGRESS"}]}})");
  EXPECT_EQ(service_scale(options_, "web", 5, out_), 0);
  EXPECT_EQ(out_.str(), "web: 5 tasks of web:3 desired, 1 running; deploying 1 of 5\n");
  EXPECT_THAT(requests("UpdateService"), ElementsAre(R"({"cluster":"default","service":"web","desiredCount":5})"));
}

TEST_F(ServiceCommands, ADaemonIsNotScaled) {
  reply("DescribeServices", R"({"services":[{"serviceName":"d","status":"ACTIVE","schedulingStrategy":"DAEMON"}]})");
  EXPECT_THAT(error_of([&] { service_scale(options_, "d", 5, out_); }), HasSubstr("d is a DAEMON"));
  EXPECT_THAT(requests("UpdateService"), IsEmpty());
}

TEST_F(ServiceCommands, AMissingServiceAndADeletedOneAreErrors) {
  reply("DescribeServices", kMissing);
  EXPECT_EQ(error_of([&] { service_scale(options_, "web", 5, out_); }), "no such service: web in cluster default");
  EXPECT_EQ(error_of([&] { service_events(options_, "web", false, out_); }), "no such service: web in cluster default");
  reply_error("StokerExplain", "ServiceNotFoundException", "Service not found.");
  EXPECT_EQ(error_of([&] { explain_service(options_, "web", out_); }), "no such service: web in cluster default");
  reply("DescribeServices", R"({"services":[{"serviceName":"web","status":"INACTIVE"}]})");
  EXPECT_EQ(error_of([&] { service_rollback(options_, "web", out_); }), "no such service: web in cluster default");
  EXPECT_EQ(error_of([&] { service_rollback(options_, "web", out_); }), "web is deleted");
}

TEST_F(ServiceCommands, UpdateSendsTheDefinitionAndKeepsTheOtherConfiguration) {
  reply("DescribeServices", kWeb);
  reply("UpdateService", R"({"service":{"serviceName":"web"}})");
  EXPECT_EQ(service_update(options_, {.service = "web", .task_definition = "web:4", .force = true}, out_), 0);
  EXPECT_EQ(service_update(options_, {.service = "web", .minimum_percent = 0}, out_), 0);
  EXPECT_THAT(
      requests("UpdateService"),
      ElementsAre(R"({"cluster":"default","service":"web","taskDefinition":"web:4","forceNewDeployment":true})",
                  R"({"cluster":"default","service":"web","deploymentConfiguration":{"deploymentCircuitBreaker":)"
                  R"({"enable":true,"rollback":true},"maximumPercent":200,"minimumHealthyPercent":0}})"));
}

TEST_F(ServiceCommands, AnEmptyUpdateIsAnError) {
  EXPECT_THAT(error_of([&] { service_update(options_, {.service = "web"}, out_); }), HasSubstr("nothing to update"));
}

TEST_F(ServiceCommands, RollbackStopsADeploymentInProgress) {
  reply("DescribeServices", kWeb);
  reply("ListServiceDeployments", R"({"serviceDeployments":[{"serviceDeploymentArn":"d/2","status":"IN_PROGRESS"}]})");
  reply("StopServiceDeployment", R"({"serviceDeploymentArn":"d/2"})");
  EXPECT_EQ(service_rollback(options_, "web", out_), 0);
  EXPECT_EQ(out_.str(), "web: the deployment of web:3 is stopped and rolled back\n");
  EXPECT_THAT(requests("StopServiceDeployment"),
              ElementsAre(R"({"serviceDeploymentArn":"d/2","stopType":"ROLLBACK"})"));
  EXPECT_THAT(requests("UpdateService"), IsEmpty());
}

TEST_F(ServiceCommands, RollbackReturnsToTheLastOtherDefinitionThatSucceeded) {
  reply("DescribeServices", kWeb);
  reply("ListServiceDeployments", R"({"serviceDeployments":[]})");
  reply("ListServiceDeployments", R"({"serviceDeployments":[
      {"targetServiceRevisionArn":"r/4"},{"targetServiceRevisionArn":"r/3"},{"targetServiceRevisionArn":"r/2"}]})");
  reply("DescribeServiceRevisions", R"({"serviceRevisions":[
      {"serviceRevisionArn":"r/2","taskDefinition":"arn:aws:ecs:r:0:task-definition/web:1"},
      {"serviceRevisionArn":"r/3","taskDefinition":"arn:aws:ecs:r:0:task-definition/web:2"},
      {"serviceRevisionArn":"r/4","taskDefinition":"arn:aws:ecs:r:0:task-definition/web:3"}]})");
  reply("UpdateService", R"({"service":{"serviceName":"web"}})");
  EXPECT_EQ(service_rollback(options_, "web", out_), 0);
  EXPECT_THAT(requests("UpdateService").at(0),
              HasSubstr(R"("taskDefinition":"arn:aws:ecs:r:0:task-definition/web:2")"));
  EXPECT_THAT(requests("DescribeServiceRevisions"), ElementsAre(R"({"serviceRevisionArns":["r/4","r/3","r/2"]})"));
  EXPECT_THAT(requests("ListServiceDeployments").at(1), HasSubstr(R"("status":["SUCCESSFUL"])"))
      << "what was rolled back has failed";
}

TEST_F(ServiceCommands, WithoutAnEarlierDefinitionARollbackIsAnError) {
  reply("DescribeServices", kWeb);
  reply("ListServiceDeployments", R"({"serviceDeployments":[]})");
  EXPECT_THAT(error_of([&] { service_rollback(options_, "web", out_); }),
              HasSubstr("no earlier successful deployment"));
}

TEST_F(ServiceCommands, EventsAreReadFromOldToNewWithShortIds) {
  reply("DescribeServices", R"({"services":[{"status":"ACTIVE","events":[
      {"id":"2","createdAt":2.5,"message":"(service web) has reached a steady state."},
      {"id":"1","createdAt":1,"message":"(service web) has started 1 tasks: (task 3fa94c1b2d7700112233445566778899)."}]}]})");
  EXPECT_EQ(service_events(options_, "web", false, out_), 0);
  EXPECT_EQ(out_.str(),
            "1970-01-01T00:00:01.000Z (service web) has started 1 tasks: (task 3fa94c1b2d77).\n"
            "1970-01-01T00:00:02.500Z (service web) has reached a steady state.\n");
}

TEST_F(ServiceCommands, EventsAreFollowedUntilTheServiceIsDeleted) {
  reply("DescribeServices",
        R"({"services":[{"status":"ACTIVE","events":[{"id":"1","createdAt":1,"message":"one"}]}]})");
  reply("DescribeServices", R"({"services":[{"status":"INACTIVE","events":[{"id":"2","createdAt":2,"message":"two"},
      {"id":"1","createdAt":1,"message":"one"}]}]})");
  EXPECT_EQ(service_events(options_, "web", true, out_), 0);
  EXPECT_EQ(out_.str(), "1970-01-01T00:00:01.000Z one\n1970-01-01T00:00:02.000Z two\n");
}

TEST_F(ServiceCommands, DeleteNeedsForceWhileTasksAreDesired) {
  reply("DescribeServices", kWeb);
  reply("DeleteService", R"({"service":{"serviceName":"web","status":"DRAINING","runningCount":1,"pendingCount":1}})");
  EXPECT_EQ(error_of([&] { service_delete(options_, "web", false, out_); }),
            "web has a desired count of 2: scale it to 0 first, or use --force");
  EXPECT_EQ(service_delete(options_, "web", true, out_), 0);
  EXPECT_EQ(out_.str(), "web is deleted; 2 tasks are stopping\n");
  EXPECT_THAT(requests("DeleteService"), ElementsAre(R"({"cluster":"default","service":"web","force":true})"));
}

}  // namespace
}  // namespace cli
