// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/services/services_fixture.h"

namespace services::ecs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ServiceDeployments : public ServicesTest {
 protected:
  // Two that succeeded, a minute apart, and one in progress.
  void make_three() {
    create();
    complete();
    for (int i = 0; i < 2; ++i) {
      if (i > 0) complete();
      now_ += std::chrono::minutes(1);
      update(R"("forceNewDeployment":true)");
    }
  }
  std::string stop_error(const std::string& arn, const std::string& more = "") {
    return error_of(&stop_service_deployment, R"({"serviceDeploymentArn":")" + arn + "\"" + more + "}");
  }
};

TEST_F(ServiceDeployments, AreListedFromTheNewestWithFilters) {
  make_three();
  const auto all = changes();
  ASSERT_THAT(all, SizeIs(3));
  EXPECT_EQ(*all[0].status, "PENDING");
  EXPECT_EQ(all[0].createdAt, now_);
  EXPECT_THAT(*all[0].targetServiceRevisionArn, HasSubstr(":service-revision/default/web/"));
  EXPECT_THAT(changes(R"("status":["SUCCESSFUL"])"), SizeIs(2));
  EXPECT_THAT(changes(R"("status":["IN_PROGRESS","STOPPED"])"), IsEmpty());
  EXPECT_THAT(changes(R"("createdAt":{"after":1800000000})"), SizeIs(2));
  EXPECT_THAT(changes(R"("createdAt":{"before":1800000120,"after":1800000000})"), SizeIs(1));
  const auto first = run_json(&list_service_deployments, R"({"service":"web","maxResults":2})");
  EXPECT_THAT(*first.serviceDeployments, ElementsAre(all[0], all[1]));
  const auto last = run_json(&list_service_deployments,
                             R"({"service":"web","maxResults":2,"nextToken":")" + *first.nextToken + "\"}");
  EXPECT_THAT(*last.serviceDeployments, ElementsAre(all[2]));
  EXPECT_FALSE(last.nextToken);
  EXPECT_EQ(error_of(&list_service_deployments, R"({"service":"no"})"), "ServiceNotFoundException: Service not found.");
}

TEST_F(ServiceDeployments, AreListedInTheClusterThatTheArnOfTheServiceNames) {
  run_json(&create_cluster, R"({"clusterName":"other"})");
  const auto made = run_json(&create_service, R"({"cluster":"other","serviceName":"far","taskDefinition":"plain",
                                               "desiredCount":1})");
  const std::string service = R"("service":")" + *made.service->serviceArn + "\"";
  EXPECT_THAT(*run_json(&list_service_deployments, "{" + service + "}").serviceDeployments, SizeIs(1));
  EXPECT_THAT(error_of(&list_service_deployments, "{" + service + R"(,"cluster":"default"})"),
              HasSubstr("Identifier is for cluster other. Your cluster is default"));
}

TEST_F(ServiceDeployments, AreDescribedByArn) {
  make_three();
  const auto all = changes();
  const auto change = describe_change(*all[0].serviceDeploymentArn);
  EXPECT_EQ(*change.serviceArn, "arn:aws:ecs:us-east-1:111111111111:service/default/web");
  EXPECT_EQ(*change.targetServiceRevision->arn, *all[0].targetServiceRevisionArn);
  EXPECT_EQ(*change.targetServiceRevision->requestedTaskCount, 2);
  ASSERT_THAT(*change.sourceServiceRevisions, SizeIs(1));
  EXPECT_EQ(*change.sourceServiceRevisions->at(0).arn, *all[1].targetServiceRevisionArn);
  EXPECT_EQ(*change.sourceServiceRevisions->at(0).requestedTaskCount, 0);
  EXPECT_FALSE(change.startedAt) << "the loop begins it";
  EXPECT_FALSE(change.finishedAt);
  EXPECT_TRUE(describe_change(*all[1].serviceDeploymentArn).finishedAt);
  const std::string none = all[0].serviceDeploymentArn->substr(0, all[0].serviceDeploymentArn->rfind('/')) + "/none";
  const auto missing = run(&describe_service_deployments, {.serviceDeploymentArns = {none}});
  EXPECT_EQ(*missing.failures->at(0).reason, "MISSING");
  EXPECT_THAT(error_of(&describe_service_deployments, R"({"serviceDeploymentArns":["web"]})"),
              HasSubstr("InvalidParameterException: Invalid ARN: web"));
  EXPECT_THAT(error_of(&describe_service_deployments, R"({"serviceDeploymentArns":[]})"), HasSubstr("cannot be empty"));
}

TEST_F(ServiceDeployments, TheCircuitBreakerShowsWhatItCounts) {
  create(R"("deploymentConfiguration":{"deploymentCircuitBreaker":{"enable":true,"rollback":false}})");
  with_service("web", [](Call& call, StoredService& service) {
    StoredDeployment primary = primary_deployment(call.tx, service.number);
    primary.failed_tasks = 2;
    update_deployment_row(call.tx, primary);
  });
  update(R"("desiredCount":25)");
  const auto breaker = *describe_change(*changes()[0].serviceDeploymentArn).deploymentCircuitBreaker;
  EXPECT_EQ(*breaker.status, "MONITORING");
  EXPECT_EQ(*breaker.failureCount, 2);
  EXPECT_EQ(*breaker.threshold, 13);
}

TEST_F(ServiceDeployments, AStopIsRequestedAndWakesTheLoop) {
  make_three();
  const std::string arn = *changes()[0].serviceDeploymentArn;
  EXPECT_EQ(*run(&stop_service_deployment, {.serviceDeploymentArn = arn}).serviceDeploymentArn, arn);
  EXPECT_TRUE(woke_services());
  EXPECT_EQ(*describe_change(arn).status, "ROLLBACK_REQUESTED");
  EXPECT_THAT(stop_error(arn), HasSubstr("ConflictException"));
  update(R"("forceNewDeployment":true)");
  EXPECT_EQ(*describe_change(arn).status, "STOPPED");
  const std::string next = *changes()[0].serviceDeploymentArn;
  run(&stop_service_deployment, {.serviceDeploymentArn = next, .stopType = "ABORT"});
  EXPECT_EQ(*describe_change(next).status, "STOP_REQUESTED");
}

TEST_F(ServiceDeployments, OnlyWhatIsInProgressCanBeStopped) {
  create();
  const std::string first = *changes()[0].serviceDeploymentArn;
  EXPECT_THAT(stop_error(first), HasSubstr("ConflictException: The service deployment cannot be rolled back"));
  complete();
  EXPECT_THAT(stop_error(first), HasSubstr("ConflictException"));
  const std::string none = first.substr(0, first.rfind('/')) + "/none";
  EXPECT_THAT(stop_error(none), HasSubstr("ServiceDeploymentNotFoundException"));
  EXPECT_THAT(stop_error("web"), HasSubstr("InvalidParameterException"));
}

TEST_F(ServiceDeployments, RevisionsAreDescribedByArn) {
  const auto service = create();
  const std::string arn = *service.currentServiceRevisions->at(0).arn;
  const auto shown = run(&describe_service_revisions, {.serviceRevisionArns = {arn, arn + "0"}});
  EXPECT_EQ(to_json(shown.serviceRevisions->at(0)),
            R"({"serviceRevisionArn":")" + arn +
                R"(","serviceArn":"arn:aws:ecs:us-east-1:111111111111:service/default/web",)"
                R"("clusterArn":"arn:aws:ecs:us-east-1:111111111111:cluster/default",)"
                R"("taskDefinition":"arn:aws:ecs:us-east-1:111111111111:task-definition/plain:1","launchType":"EC2",)"
                R"("loadBalancers":[],"serviceRegistries":[],"containerImages":[],"guardDutyEnabled":false,)"
                R"("createdAt":1800000000})");
  EXPECT_EQ(*shown.failures->at(0).reason, "MISSING");
}

TEST_F(ServiceDeployments, ADeletedTaskDefinitionIsShownAsLongAsARevisionHasIt) {
  create();
  complete();
  register_again("plain");
  const std::string old = *describe_service().currentServiceRevisions->at(0).arn;
  update(R"("taskDefinition":"plain")");
  complete();
  run_json(&deregister_task_definition, R"({"taskDefinition":"plain:1"})");
  run_json(&delete_task_definitions, R"({"taskDefinitions":["plain:1"]})");
  now_ += std::chrono::hours(2);
  register_again("plain");  // deletes old definitions
  const auto shown = run(&describe_service_revisions, {.serviceRevisionArns = {old}});
  EXPECT_THAT(*shown.serviceRevisions->at(0).taskDefinition, testing::EndsWith("plain:1"));
}

}  // namespace
}  // namespace services::ecs
