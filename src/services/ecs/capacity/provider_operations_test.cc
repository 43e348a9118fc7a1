// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/capacity/capacity_fixture.h"

namespace services::ecs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

class ProviderTest : public CapacityTest {
 protected:
  std::string create_error(const std::string& name, const std::string& provider) {
    return error_of(&create_capacity_provider,
                    R"({"name":")" + name + R"(","autoScalingGroupProvider":)" + provider + "}");
  }
  Cluster describe_cluster() {
    return run_json(&describe_clusters, R"({"clusters":["default"],"include":["ATTACHMENTS"]})").clusters->at(0);
  }
};

TEST_F(ProviderTest, DefaultsAreThoseOfAmazon) {
  add_group("g");
  const auto provider =
      *run_json(
           &create_capacity_provider,
           R"({"name":"p","autoScalingGroupProvider":{"autoScalingGroupArn":"g"},"tags":[{"key":"k","value":"v"}]})")
           .capacityProvider;
  EXPECT_EQ(to_json(provider),
            R"({"capacityProviderArn":"arn:aws:ecs:us-east-1:111111111111:capacity-provider/p","name":"p",)"
            R"("status":"ACTIVE","autoScalingGroupProvider":{"autoScalingGroupArn":")" +
                group_arn("g") +
                R"(","managedScaling":{"status":"DISABLED","targetCapacity":100,"minimumScalingStepSize":1,)"
                R"("maximumScalingStepSize":10000,"instanceWarmupPeriod":300},)"
                R"("managedTerminationProtection":"DISABLED","managedDraining":"ENABLED"},)"
                R"("updateStatus":"CREATE_COMPLETE","tags":[{"key":"k","value":"v"}],"type":"EC2_AUTOSCALING"})");
}

TEST_F(ProviderTest, WhatIsInvalidIsRejectedInAmazonsWords) {
  add_group("g");
  add_group("h");
  const std::string group = R"({"autoScalingGroupArn":"g"})";
  EXPECT_THAT(create_error("aws-p", group),
              StartsWith("ClientException: The specified capacity provider name is invalid"));
  EXPECT_THAT(create_error("Fargate-p", group), HasSubstr("name is invalid"));
  EXPECT_THAT(create_error("p", R"({"autoScalingGroupArn":"none"})"), HasSubstr("Auto Scaling group ARN is invalid"));
  EXPECT_THAT(create_error("p", R"({"autoScalingGroupArn":"g","managedScaling":{"minimumScalingStepSize":3,
                                    "maximumScalingStepSize":2}})"),
              HasSubstr("The minimum or maximum scaling step size value is invalid"));
  EXPECT_THAT(create_error("p", R"({"autoScalingGroupArn":"g","managedScaling":{"status":"ENABLED"},
                                    "managedTerminationProtection":"ENABLED"})"),
              HasSubstr("the Auto Scaling group must have instance protection from scale in enabled."));
  EXPECT_THAT(error_of(&create_capacity_provider, R"({"name":"p","managedInstancesProvider":{}})"),
              HasSubstr("managedInstancesProvider is not supported by Stoker"));
  EXPECT_EQ(create_error("p", group), "");
  EXPECT_THAT(create_error("p", R"({"autoScalingGroupArn":"h"})"), HasSubstr("already exists"));
  EXPECT_THAT(create_error("q", group),
              HasSubstr("The specified Auto Scaling group ARN is already being used by another capacity provider."));
}

TEST_F(ProviderTest, AnAssociationCreatesPolicyTagAndHookAndItsEndRemovesThem) {
  add_provider("p", "", R"({"status":"ENABLED","targetCapacity":80,"instanceWarmupPeriod":60})");
  const Cluster cluster = associate(R"("p")", R"({"capacityProvider":"p","weight":1})");
  EXPECT_THAT(*cluster.capacityProviders, ElementsAre("p"));
  EXPECT_EQ(cluster.attachmentsStatus, "UPDATE_COMPLETE");
  ASSERT_THAT(*cluster.attachments, SizeIs(2));
  EXPECT_EQ(cluster.attachments->at(0).type, "as_policy");
  EXPECT_EQ(cluster.attachments->at(1).type, "managed_draining");

  ASSERT_THAT(scaling_.policies, SizeIs(1));
  const auto& [name, policy] = *scaling_.policies.begin();
  EXPECT_THAT(name, StartsWith("ECSManagedAutoScalingPolicy-"));
  EXPECT_EQ(cluster.attachments->at(0).details->at(1).value, name);
  EXPECT_EQ(policy.AutoScalingGroupName, "p-group");
  EXPECT_EQ(policy.EstimatedInstanceWarmup, 60);
  EXPECT_EQ(policy.TargetTrackingConfiguration->TargetValue, 80);
  EXPECT_EQ(policy.TargetTrackingConfiguration->CustomizedMetricSpecification->MetricName,
            "CapacityProviderReservation");
  EXPECT_EQ(scaling_.hooks.at("p-group").LifecycleHookName, "ecs-managed-draining-termination-hook");
  EXPECT_EQ(scaling_.tags.at("p-group").Key, "AmazonECSManaged");

  associate("");
  EXPECT_THAT(scaling_.policies, IsEmpty());
  EXPECT_THAT(scaling_.hooks, IsEmpty());
  EXPECT_THAT(scaling_.tags, IsEmpty());
  EXPECT_THAT(*describe_cluster().attachments, IsEmpty());
}

TEST_F(ProviderTest, AnUpdateChangesThePolicyAndSwitchesItOff) {
  use_provider();
  const auto update = [&](const std::string& json) {
    return *run_json(&update_capacity_provider, R"({"name":"p","autoScalingGroupProvider":)" + json + "}")
                .capacityProvider;
  };
  EXPECT_EQ(update(R"({"managedScaling":{"targetCapacity":50}})").updateStatus, "UPDATE_COMPLETE");
  EXPECT_EQ(scaling_.policies.begin()->second.TargetTrackingConfiguration->TargetValue, 50);
  update(R"({"managedScaling":{"status":"DISABLED"},"managedDraining":"DISABLED"})");
  EXPECT_THAT(scaling_.policies, IsEmpty());
  EXPECT_THAT(scaling_.hooks, IsEmpty());
  EXPECT_EQ(describe_cluster().attachments->size(), 0u);
}

TEST_F(ProviderTest, AProviderInUseIsNeitherRemovedNorDeleted) {
  use_provider();
  const auto kept = *run_json(&delete_capacity_provider, R"({"capacityProvider":"p"})").capacityProvider;
  EXPECT_EQ(kept.status, "ACTIVE");
  EXPECT_EQ(kept.updateStatus, "DELETE_FAILED");
  EXPECT_EQ(kept.updateStatusReason,
            "The capacity provider cannot be deleted because it is associated with cluster: default. Remove the "
            "capacity provider from the cluster and try again.");
  EXPECT_EQ(run_json(&describe_capacity_providers, "{}").capacityProviders->at(0), kept);
  const Task task = run_one();
  const std::string none = R"({"cluster":"default","capacityProviders":[],"defaultCapacityProviderStrategy":[]})";
  EXPECT_EQ(error_of(&put_cluster_capacity_providers, none),
            "ResourceInUseException: The specified capacity provider is in use and cannot be removed.");
  run_json(&stop_task, R"({"task":")" + *task.taskArn + "\"}");
  EXPECT_EQ(error_of(&put_cluster_capacity_providers, none), "");
  const auto deleted = *run_json(&delete_capacity_provider, R"({"capacityProvider":"p"})").capacityProvider;
  EXPECT_EQ(deleted.status, "INACTIVE");
  EXPECT_EQ(deleted.updateStatus, "DELETE_COMPLETE");
  EXPECT_FALSE(deleted.updateStatusReason);
  EXPECT_THAT(*run_json(&describe_capacity_providers, "{}").capacityProviders, IsEmpty());
  EXPECT_THAT(error_of(&delete_capacity_provider, R"({"capacityProvider":"p"})"), HasSubstr("does not exist"));
}

TEST_F(ProviderTest, ProvidersAreDescribedByNameByArnAndByPage) {
  for (int i = 0; i < 12; ++i) add_provider("p" + std::to_string(10 + i));
  const auto first = run_json(&describe_capacity_providers, "{}");
  EXPECT_THAT(*first.capacityProviders, SizeIs(10));
  const auto second = run_json(&describe_capacity_providers, R"({"nextToken":")" + *first.nextToken + "\"}");
  EXPECT_THAT(*second.capacityProviders, SizeIs(2));
  EXPECT_FALSE(second.nextToken);
  const auto named = run_json(
      &describe_capacity_providers,
      R"({"capacityProviders":["arn:aws:ecs:us-east-1:111111111111:capacity-provider/p11","none"],"include":["TAGS"]})");
  EXPECT_EQ(named.capacityProviders->at(0).name, "p11");
  EXPECT_EQ(named.failures->at(0).reason, "MISSING");
}

TEST_F(ProviderTest, StrategiesAreChecked) {
  add_provider("p");
  add_provider("q");
  associate(R"("p","q")");
  const auto run_error = [&](const std::string& strategy, const std::string& more = "") {
    return error_of(&run_task,
                    R"({"taskDefinition":"plain","capacityProviderStrategy":[)" + strategy + "]" + more + "}");
  };
  EXPECT_THAT(run_error(R"({"capacityProvider":"x","weight":1})"),
              HasSubstr("that is not associated with the cluster. Associate the capacity provider with the cluster or "
                        "specify a valid capacity provider and try again."));
  EXPECT_THAT(run_error(R"({"capacityProvider":"p"},{"capacityProvider":"q"})"),
              HasSubstr("There are no capacity providers in the capacity provider strategy with a weight value greater "
                        "than zero"));
  EXPECT_THAT(run_error(R"({"capacityProvider":"p","weight":1,"base":1},{"capacityProvider":"q","base":1})"),
              HasSubstr("There are multiple capacity providers in the specified capacity provider strategy with a base "
                        "value defined"));
  EXPECT_THAT(run_error(R"({"capacityProvider":"p","weight":1})", R"(,"launchType":"EC2")"),
              HasSubstr("Specifying both a launch type and capacity provider strategy is not supported."));
  EXPECT_EQ(run_error(R"({"capacityProvider":"p"})"), "");
}

TEST_F(ProviderTest, ProvidersHaveTags) {
  const auto arn = *add_provider("p").capacityProviderArn;
  run_json(&tag_resource, R"({"resourceArn":")" + arn + R"(","tags":[{"key":"a","value":"b"}]})");
  EXPECT_THAT(*run_json(&list_tags_for_resource, R"({"resourceArn":")" + arn + "\"}").tags, SizeIs(1));
}

TEST_F(ProviderTest, ADeletedClusterReleasesItsProviders) {
  use_provider();
  run_json(&delete_cluster, R"({"cluster":"default"})");
  EXPECT_THAT(scaling_.policies, IsEmpty());
  EXPECT_EQ(error_of(&delete_capacity_provider, R"({"capacityProvider":"p"})"), "");
}

}  // namespace
}  // namespace services::ecs
