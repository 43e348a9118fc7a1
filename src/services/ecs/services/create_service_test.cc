// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/services/services_fixture.h"

namespace services::ecs {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::SizeIs;

class CreateService : public ServicesTest {
 protected:
  static std::string percents(const shapes::ecs::Service& service) {
    return std::to_string(*service.deploymentConfiguration->minimumHealthyPercent) + "/" +
           std::to_string(*service.deploymentConfiguration->maximumPercent);
  }
  static std::string breaker_of(const std::string& threshold) {
    return R"("deploymentConfiguration":{"deploymentCircuitBreaker":{"enable":true,"rollback":false,)"
           R"("thresholdConfiguration":{)" +
           threshold + "}}}";
  }
};

TEST_F(CreateService, AnswersWithTheWholeServiceAndWakesTheLoop) {
  const auto service = create();
  EXPECT_TRUE(woke_services());
  const auto& deployment = service.deployments->at(0);
  EXPECT_THAT(*deployment.id, MatchesRegex("ecs-svc/[0-9]{19}"));
  const std::string digits = deployment.id->substr(8);
  EXPECT_THAT(*service.currentServiceDeployment,
              MatchesRegex("arn:aws:ecs:us-east-1:111111111111:service-deployment/default/web/[A-Za-z0-9_-]{22}"));
  shapes::ecs::Service rest = service;
  rest.currentServiceDeployment.reset();
  EXPECT_EQ(
      to_json(rest),
      R"({"serviceArn":"arn:aws:ecs:us-east-1:111111111111:service/default/web","serviceName":"web",)"
      R"("clusterArn":"arn:aws:ecs:us-east-1:111111111111:cluster/default","loadBalancers":[],"serviceRegistries":[],)"
      R"("status":"ACTIVE","desiredCount":2,"runningCount":0,"pendingCount":0,"launchType":"EC2",)"
      R"("taskDefinition":"arn:aws:ecs:us-east-1:111111111111:task-definition/plain:1","deploymentConfiguration":)"
      R"({"deploymentCircuitBreaker":{"enable":false,"rollback":false},"maximumPercent":200,)"
      R"("minimumHealthyPercent":100},"deployments":[{"id":"ecs-svc/)" +
          digits +
          R"(","status":"PRIMARY","taskDefinition":"arn:aws:ecs:us-east-1:111111111111:task-definition/plain:1",)"
          R"("desiredCount":2,"pendingCount":0,"runningCount":0,"failedTasks":0,"createdAt":1800000000,)"
          R"("updatedAt":1800000000,"launchType":"EC2","rolloutState":"IN_PROGRESS",)"
          R"("rolloutStateReason":"ECS deployment ecs-svc/)" +
          digits +
          R"( in progress."}],"events":[],)"
          R"("createdAt":1800000000,"currentServiceRevisions":[{"arn":)"
          R"("arn:aws:ecs:us-east-1:111111111111:service-revision/default/web/)" +
          digits +
          R"(","requestedTaskCount":2,"runningTaskCount":0,"pendingTaskCount":0}],"placementConstraints":[],)"
          R"("placementStrategy":[],"schedulingStrategy":"REPLICA","tags":[],)"
          R"("createdBy":"arn:aws:iam::111111111111:root","enableECSManagedTags":false,"propagateTags":"NONE",)"
          R"("enableExecuteCommand":false,"availabilityZoneRebalancing":"ENABLED",)"
          R"("resourceManagementType":"CUSTOMER"})");
}

TEST_F(CreateService, TheFirstServiceDeploymentHasNoSource) {
  create(R"("deploymentConfiguration":{"deploymentCircuitBreaker":{"enable":true,"rollback":true}})");
  const auto all = changes();
  ASSERT_THAT(all, SizeIs(1));
  const auto change = describe_change(*all[0].serviceDeploymentArn);
  EXPECT_EQ(*change.status, "PENDING");
  EXPECT_THAT(*change.sourceServiceRevisions, SizeIs(0));
  EXPECT_EQ(*change.targetServiceRevision->requestedTaskCount, 2);
  EXPECT_EQ(*change.deploymentCircuitBreaker->status, "MONITORING");
  EXPECT_EQ(*change.deploymentCircuitBreaker->threshold, 3);
  EXPECT_EQ(*change.alarms->status, "DISABLED");
  EXPECT_TRUE(change.deploymentConfiguration->deploymentCircuitBreaker->rollback);
}

TEST_F(CreateService, DefaultsDependOnTheStrategyAndOnGpus) {
  EXPECT_EQ(percents(create()), "100/200");
  EXPECT_EQ(percents(create_daemon()), "0/100");
  // On a single machine the old task holds the GPU that the new one needs.
  const auto gpus =
      *run_json(&create_service, R"({"serviceName":"g","taskDefinition":"one","desiredCount":1})").service;
  EXPECT_EQ(percents(gpus), "0/200");
  const auto given = *run_json(&create_service, R"({"serviceName":"h","taskDefinition":"one","desiredCount":1,
      "deploymentConfiguration":{"minimumHealthyPercent":100,"maximumPercent":150}})")
                          .service;
  EXPECT_EQ(percents(given), "100/150");
}

TEST_F(CreateService, ZonesAreBalancedWhereThatIsPossible) {
  EXPECT_EQ(*create().availabilityZoneRebalancing, "ENABLED");
  EXPECT_EQ(*create_daemon().availabilityZoneRebalancing, "DISABLED");
  const std::string packed = R"("placementStrategy":[{"type":"binpack","field":"memory"}])";
  EXPECT_EQ(*create(packed, "packed").availabilityZoneRebalancing, "DISABLED");
  const std::string spread = R"("placementStrategy":[{"type":"spread","field":"attribute:ecs.availability-zone"}])";
  EXPECT_EQ(*create(spread, "spread").availabilityZoneRebalancing, "ENABLED");
  EXPECT_EQ(*create(R"("deploymentConfiguration":{"maximumPercent":100,"minimumHealthyPercent":0})", "full")
                 .availabilityZoneRebalancing,
            "DISABLED");
  EXPECT_EQ(*create(R"("launchType":"EXTERNAL")", "external").availabilityZoneRebalancing, "DISABLED");
  EXPECT_THAT(create_error(packed + R"(,"availabilityZoneRebalancing":"ENABLED")"),
              HasSubstr("availabilityZoneRebalancing ENABLED is not valid"));
}

TEST_F(CreateService, TheSameRequestAgainReturnsTheService) {
  const auto first = create(R"("tags":[{"key":"a","value":"1"}])");
  EXPECT_EQ(*create(R"("tags":[{"key":"a","value":"1"}])").deployments->at(0).id, *first.deployments->at(0).id);
  EXPECT_FALSE(woke_services());
  EXPECT_EQ(create_error(""), "InvalidParameterException: Creation of service was not idempotent.");
  EXPECT_EQ(error_of(&create_service, R"({"serviceName":"web","taskDefinition":"plain","desiredCount":3})"),
            "InvalidParameterException: Creation of service was not idempotent.");
  create(R"("clientToken":"t")", "other");
  update(R"("desiredCount":5)", "other");
  EXPECT_EQ(*create(R"("clientToken":"t")", "other").desiredCount, 5);
}

TEST_F(CreateService, ANameIsFreeAgainOnceItsServiceIsInactive) {
  create();
  run_json(&delete_service, R"({"service":"web","force":true})");
  EXPECT_EQ(create_error(""), "InvalidParameterException: Unable to Start a service that is still Draining.");
  retire();
  EXPECT_EQ(*create().status, "ACTIVE");
  EXPECT_EQ(*describe_service().status, "ACTIVE");
}

TEST_F(CreateService, DaemonsHaveRulesOfTheirOwn) {
  const auto daemon = create_daemon();
  EXPECT_EQ(*daemon.schedulingStrategy, "DAEMON");
  EXPECT_EQ(*daemon.desiredCount, 0);
  EXPECT_THAT(error_of(&create_service, daemon_of(R"("desiredCount":0)")),
              HasSubstr("The daemon scheduling strategy does not support a desired count for services."));
  EXPECT_THAT(error_of(&create_service, daemon_of(R"("deploymentConfiguration":{"maximumPercent":150})")),
              HasSubstr("does not support values above 100 for maximumPercent on a deployment configuration."));
  EXPECT_THAT(error_of(&create_service, daemon_of(R"("placementStrategy":[{"type":"random"}])")),
              HasSubstr("The daemon scheduling strategy does not support placement strategies"));
  EXPECT_THAT(error_of(&create_service, daemon_of(R"("availabilityZoneRebalancing":"ENABLED")")),
              HasSubstr("InvalidParameterException"));
}

TEST_F(CreateService, RejectsWhatAmazonRejects) {
  const auto without = [&](const std::string& json) { return error_of(&create_service, json); };
  EXPECT_THAT(without(R"({"serviceName":"w","taskDefinition":"plain"})"), HasSubstr("desiredCount"));
  EXPECT_EQ(without(R"({"serviceName":"w","desiredCount":1})"), "ClientException: TaskDefinition can not be blank.");
  EXPECT_EQ(without(R"({"serviceName":"w","taskDefinition":"no","desiredCount":1})"),
            "ClientException: TaskDefinition not found.");
  EXPECT_THAT(without(R"({"serviceName":"a b","taskDefinition":"plain","desiredCount":1})"),
              HasSubstr("Invalid service name."));
  EXPECT_EQ(without(R"({"serviceName":"w","taskDefinition":"plain","desiredCount":1,"cluster":"no"})"),
            "ClusterNotFoundException: Cluster not found.");
  EXPECT_THAT(without(R"({"serviceName":"w","taskDefinition":"plain","desiredCount":-1})"), HasSubstr("desiredCount"));
  EXPECT_THAT(without(R"({"serviceName":"w","taskDefinition":"plain","desiredCount":5001})"),
              HasSubstr("desiredCount"));
  EXPECT_EQ(create_error(R"("deploymentConfiguration":{"minimumHealthyPercent":100,"maximumPercent":100})"),
            "InvalidParameterException: Both maximumPercent and minimumHealthyPercent cannot be 100 as this will block "
            "deployments.");
  EXPECT_THAT(create_error(R"("deploymentConfiguration":{"maximumPercent":50})"), HasSubstr("maximumPercent"));
  EXPECT_THAT(create_error(R"("enableExecuteCommand":true)"),
              HasSubstr("The service couldn't be created because a valid taskRoleArn is not being used."));
  EXPECT_THAT(create_error(R"("networkConfiguration":{"awsvpcConfiguration":{"subnets":["s"]}})"),
              HasSubstr("Network Configuration is not valid"));
  EXPECT_THAT(create_error(R"("placementConstraints":[{"type":"memberOf","expression":"no expression"}])"),
              HasSubstr("InvalidParameterException"));
  EXPECT_THAT(create_error(R"("placementStrategy":[{"type":"binpack","field":"disk"}])"),
              HasSubstr("InvalidParameterException"));
  for (const char* threshold : {R"("type":"COUNT","value":0)", R"("type":"BOUNDED_PERCENT","value":101)",
                                R"("type":"UNBOUNDED_PERCENT","value":0)"}) {
    EXPECT_THAT(create_error(breaker_of(threshold)), HasSubstr("InvalidParameterException: thresholdConfiguration"));
  }
  EXPECT_THAT(create_error(R"("clientToken":")" + std::string(37, 'x') + "\""), HasSubstr("clientToken"));
  EXPECT_THAT(create_error(R"("healthCheckGracePeriodSeconds":-1)"), HasSubstr("healthCheckGracePeriodSeconds"));
  EXPECT_THAT(create_error(R"("platformVersion":"LATEST")"), HasSubstr("The platform version must be null"));
  EXPECT_THAT(create_error(R"("deploymentConfiguration":{"alarms":{"alarmNames":[],"enable":true,"rollback":true}})"),
              HasSubstr("alarmNames"));
  const std::string provider = R"("capacityProviderStrategy":[{"capacityProvider":"p"}])";
  EXPECT_THAT(create_error(provider), HasSubstr("that is not associated with the cluster."));
  EXPECT_THAT(create_error(provider + R"(,"launchType":"EC2")"),
              HasSubstr("Specifying both a launch type and capacity provider strategy is not supported."));
}

TEST_F(CreateService, RejectsWhatStokerLacksByName) {
  const std::pair<const char*, const char*> kLacking[] = {
      {"loadBalancers", R"("loadBalancers":[{"targetGroupArn":"t","containerName":"c","containerPort":80}])"},
      {"serviceRegistries", R"("serviceRegistries":[{"registryArn":"r"}])"},
      {"serviceConnectConfiguration", R"("serviceConnectConfiguration":{"enabled":true})"},
      {"volumeConfigurations", R"("volumeConfigurations":[{"name":"v"}])"},
      {"vpcLatticeConfigurations",
       R"("vpcLatticeConfigurations":[{"roleArn":"r","targetGroupArn":"t","portName":"p"}])"},
      {"deploymentController CODE_DEPLOY", R"("deploymentController":{"type":"CODE_DEPLOY"})"},
      {"deploymentController EXTERNAL", R"("deploymentController":{"type":"EXTERNAL"})"},
      {"launchType FARGATE", R"("launchType":"FARGATE")"},
      {"role", R"("role":"r")"},
      {"deploymentConfiguration.strategy BLUE_GREEN", R"("deploymentConfiguration":{"strategy":"BLUE_GREEN"})"},
      {"deploymentConfiguration.lifecycleHooks", R"("deploymentConfiguration":{"lifecycleHooks":[{"roleArn":"r"}]})"},
      {"deploymentConfiguration.linearConfiguration", R"("deploymentConfiguration":{"linearConfiguration":{}})"},
      {"deploymentConfiguration.canaryConfiguration", R"("deploymentConfiguration":{"canaryConfiguration":{}})"},
  };
  for (const auto& [name, member] : kLacking) {
    EXPECT_THAT(create_error(member), HasSubstr(std::string(name) + " is not supported by Stoker")) << member;
  }
  create(R"("loadBalancers":[],"serviceConnectConfiguration":{"enabled":false},"deploymentController":{"type":"ECS"},
            "deploymentConfiguration":{"strategy":"ROLLING"},"launchType":"EC2")");
  EXPECT_EQ(describe_service().deploymentController->type, "ECS");
}

}  // namespace
}  // namespace services::ecs
