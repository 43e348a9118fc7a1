// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/services/services_fixture.h"

namespace services::ecs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class UpdateService : public ServicesTest {
 protected:
  std::vector<std::string> statuses() {
    std::vector<std::string> statuses;
    for (const auto& change : changes()) statuses.push_back(*change.status);
    return statuses;
  }
};

TEST_F(UpdateService, ADesiredCountAloneIsNoNewDeployment) {
  const auto before = create();
  complete();
  now_ += std::chrono::minutes(1);
  const auto after = update(R"("desiredCount":5)");
  EXPECT_TRUE(woke_services());
  EXPECT_EQ(*after.desiredCount, 5);
  ASSERT_THAT(*after.deployments, SizeIs(1));
  EXPECT_EQ(after.deployments->at(0).id, before.deployments->at(0).id);
  EXPECT_EQ(*after.deployments->at(0).desiredCount, 5);
  EXPECT_EQ(*after.deployments->at(0).rolloutState, "COMPLETED");
  EXPECT_THAT(changes(), SizeIs(1));
}

TEST_F(UpdateService, AnotherTaskDefinitionIsANewDeployment) {
  const auto before = create();
  complete();
  const std::string next = register_again("plain");
  now_ += std::chrono::minutes(1);
  const auto after = update(R"("taskDefinition":"plain")");
  ASSERT_THAT(*after.deployments, SizeIs(2));
  EXPECT_EQ(*after.taskDefinition, next);
  EXPECT_EQ(*after.deployments->at(0).status, "PRIMARY");
  EXPECT_EQ(*after.deployments->at(0).desiredCount, 2);
  EXPECT_EQ(*after.deployments->at(0).rolloutState, "IN_PROGRESS");
  EXPECT_EQ(*after.deployments->at(1).status, "ACTIVE");
  EXPECT_EQ(*after.deployments->at(1).desiredCount, 0);
  EXPECT_EQ(after.deployments->at(1).id, before.deployments->at(0).id);
  EXPECT_EQ(*after.deployments->at(1).rolloutState, "COMPLETED");
  EXPECT_THAT(statuses(), ElementsAre("PENDING", "SUCCESSFUL"));
  const auto change = describe_change(*after.currentServiceDeployment);
  ASSERT_THAT(*change.sourceServiceRevisions, SizeIs(1));
  EXPECT_THAT(*change.sourceServiceRevisions->at(0).arn, testing::EndsWith(before.deployments->at(0).id->substr(8)));
  // The same revision by another name is none.
  EXPECT_THAT(*update(R"("taskDefinition":"plain:2")").deployments, SizeIs(2));
}

TEST_F(UpdateService, ANewerDeploymentStopsTheOneInProgress) {
  create();
  update(R"("forceNewDeployment":true)");
  EXPECT_THAT(statuses(), ElementsAre("PENDING", "STOPPED"));
  const auto stopped = describe_change(*changes()[1].serviceDeploymentArn);
  EXPECT_EQ(stopped.stoppedAt, now_);
  EXPECT_EQ(stopped.finishedAt, now_);
  EXPECT_THAT(*stopped.statusReason, HasSubstr("replaced"));
  EXPECT_THAT(*describe_service().deployments, SizeIs(2));
}

TEST_F(UpdateService, ResolvedImagesAreKeptUnlessADeploymentIsForced) {
  register_json(with_container("", R"("networkMode":"awsvpc")"));
  const std::string network = R"("networkConfiguration":{"awsvpcConfiguration":{"subnets":[")";
  run_json(&create_service, R"({"serviceName":"web","taskDefinition":"f","desiredCount":1,)" + network + R"(s-1"]}}})");
  with_service("web", [](Call& call, StoredService& service) {
    StoredDeployment primary = primary_deployment(call.tx, service.number);
    primary.body.containerImages = {{.containerName = "c", .imageDigest = "sha256:1", .image = "busybox"}};
    update_deployment_row(call.tx, primary);
  });
  const auto images = [&](const shapes::ecs::Service& service) {
    const auto shown =
        run(&describe_service_revisions, {.serviceRevisionArns = {*service.currentServiceRevisions->at(0).arn}});
    return shown.serviceRevisions->at(0).containerImages->size();
  };
  EXPECT_THAT(*update(network + R"(s-1"]}})").deployments, SizeIs(1));
  const auto moved = update(network + R"(s-2"]}})");
  EXPECT_THAT(*moved.deployments, SizeIs(2));
  EXPECT_EQ(moved.deployments->at(0).networkConfiguration->awsvpcConfiguration->subnets[0], "s-2");
  EXPECT_EQ(images(moved), 1u);
  EXPECT_EQ(images(update(R"("forceNewDeployment":true)")), 0u);
}

TEST_F(UpdateService, AbsentMembersStayAsTheyAre) {
  create(R"("placementConstraints":[{"type":"distinctInstance"}],"healthCheckGracePeriodSeconds":7,
            "propagateTags":"SERVICE","enableECSManagedTags":true)");
  const auto same = update(R"("desiredCount":1)");
  EXPECT_THAT(*same.placementConstraints, SizeIs(1));
  EXPECT_EQ(*same.healthCheckGracePeriodSeconds, 7);
  EXPECT_EQ(*same.propagateTags, "SERVICE");
  EXPECT_TRUE(*same.enableECSManagedTags);
  const auto changed = update(
      R"("placementConstraints":[],"placementStrategy":[{"type":"spread","field":"instanceId"}],
         "availabilityZoneRebalancing":"DISABLED","enableECSManagedTags":false,
         "deploymentConfiguration":{"deploymentCircuitBreaker":{"enable":true,"rollback":false}})");
  EXPECT_THAT(*changed.placementConstraints, SizeIs(0));
  EXPECT_THAT(*changed.placementStrategy, SizeIs(1));
  EXPECT_TRUE(changed.deploymentConfiguration->deploymentCircuitBreaker->enable);
  EXPECT_EQ(*changed.deploymentConfiguration->maximumPercent, 200);
  EXPECT_THAT(*changed.deployments, SizeIs(1));
}

TEST_F(UpdateService, TheDefaultOfZoneRebalancingFollowsTheOtherSettings) {
  create();
  const std::string tight = R"("deploymentConfiguration":{"minimumHealthyPercent":0,"maximumPercent":100})";
  EXPECT_EQ(*update(tight).availabilityZoneRebalancing, "DISABLED");
  EXPECT_EQ(*update(R"("deploymentConfiguration":{"maximumPercent":150})").availabilityZoneRebalancing, "ENABLED");
  EXPECT_EQ(*update(R"("availabilityZoneRebalancing":"ENABLED")").availabilityZoneRebalancing, "ENABLED");
  EXPECT_THAT(update_error(tight), HasSubstr("availabilityZoneRebalancing ENABLED is not valid"));
}

TEST_F(UpdateService, EndsTheBackOff) {
  create();
  with_service("web", [](Call& call, StoredService& service) {
    StoredDeployment primary = primary_deployment(call.tx, service.number);
    primary.failed_tasks = 9;
    primary.last_failure = call.now;
    update_deployment_row(call.tx, primary);
  });
  update(R"("desiredCount":2)");
  with_service("web", [](Call& call, StoredService& service) {
    EXPECT_FALSE(primary_deployment(call.tx, service.number).last_failure);
  });
}

TEST_F(UpdateService, WorksWithATaskDefinitionThatWasDeregistered) {
  create();
  run_json(&deregister_task_definition, R"({"taskDefinition":"plain:1"})");
  EXPECT_EQ(*update(R"("desiredCount":4)").desiredCount, 4);
  EXPECT_EQ(update_error(R"("taskDefinition":"plain:1")"), "InvalidParameterException: TaskDefinition is inactive");
}

TEST_F(UpdateService, RejectsWhatStokerLacksByName) {
  create();
  const std::pair<const char*, const char*> kLacking[] = {
      {"loadBalancers", R"("loadBalancers":[{}])"},
      {"serviceRegistries", R"("serviceRegistries":[{"registryArn":"r"}])"},
      {"serviceConnectConfiguration", R"("serviceConnectConfiguration":{"enabled":true})"},
      {"volumeConfigurations", R"("volumeConfigurations":[{"name":"v"}])"},
      {"vpcLatticeConfigurations", R"("vpcLatticeConfigurations":[{"portName":"p"}])"},
      {"deploymentController CODE_DEPLOY", R"("deploymentController":{"type":"CODE_DEPLOY"})"},
      {"deploymentController EXTERNAL", R"("deploymentController":{"type":"EXTERNAL"})"},
      {"deploymentConfiguration.strategy CANARY", R"("deploymentConfiguration":{"strategy":"CANARY"})"},
      {"deploymentConfiguration.lifecycleHooks", R"("deploymentConfiguration":{"lifecycleHooks":[{"roleArn":"r"}]})"},
      {"deploymentConfiguration.linearConfiguration", R"("deploymentConfiguration":{"linearConfiguration":{}})"},
      {"deploymentConfiguration.canaryConfiguration", R"("deploymentConfiguration":{"canaryConfiguration":{}})"},
  };
  for (const auto& [name, member] : kLacking) {
    EXPECT_THAT(update_error(member), HasSubstr(std::string(name) + " is not supported by Stoker")) << member;
  }
  EXPECT_THAT(update_error(R"("platformVersion":"LATEST")"), HasSubstr("The platform version must be null"));
  update(R"("loadBalancers":[],"serviceRegistries":[],"volumeConfigurations":[],"vpcLatticeConfigurations":[],
            "serviceConnectConfiguration":{"enabled":false},"deploymentController":{"type":"ECS"},
            "platformVersion":"")");
}

TEST_F(UpdateService, RejectsWhatAmazonRejects) {
  EXPECT_EQ(update_error(R"("desiredCount":1)"), "ServiceNotFoundException: Service not found.");
  create();
  create_daemon();
  EXPECT_EQ(update_error(R"("taskDefinition":"no")"), "ClientException: TaskDefinition not found.");
  EXPECT_THAT(update_error(R"("desiredCount":1)", "daemon"), HasSubstr("does not support a desired count"));
  EXPECT_THAT(update_error(R"("enableExecuteCommand":true)"),
              HasSubstr("The service couldn't be updated because a valid taskRoleArn is not being used."));
  EXPECT_THAT(update_error(R"("deploymentConfiguration":{"maximumPercent":100})"),
              HasSubstr("Both maximumPercent and minimumHealthyPercent cannot be 100"));
  run_json(&delete_service, R"({"service":"web","force":true})");
  EXPECT_EQ(update_error(R"("desiredCount":1)"), "ServiceNotActiveException: Service was not ACTIVE.");
  retire();
  EXPECT_EQ(update_error(R"("desiredCount":1)"), "ServiceNotActiveException: Service was not ACTIVE.");
}

}  // namespace
}  // namespace services::ecs
