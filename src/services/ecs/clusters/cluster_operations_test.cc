// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/clusters/deletion.h"
#include "services/ecs/ecs_fixture.h"

namespace services::ecs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Clusters = EcsTest;

TEST_F(Clusters, AnInvalidSettingIsRejectedWhateverTheNameOfTheCluster) {
  const std::string name = "a-name-that-is-too-long-to-be-kept-within-a-string";
  EXPECT_THROW(run_json(&create_cluster, R"({"clusterName":")" + name + R"(","settings":[{"name":"no","value":"x"}]})"),
               wire::ApiError);
}

TEST_F(Clusters, ANewClusterIsShownAsAmazonShowsIt) {
  auto made = run_json(&create_cluster, R"({"clusterName":"gpu","tags":[{"key":"team","value":"vision"}]})");
  EXPECT_EQ(to_json(made),
            R"({"cluster":{"clusterArn":"arn:aws:ecs:us-east-1:111111111111:cluster/gpu","clusterName":"gpu",)"
            R"("status":"ACTIVE","registeredContainerInstancesCount":0,"runningTasksCount":0,"pendingTasksCount":0,)"
            R"("activeServicesCount":0,"statistics":[],"tags":[{"key":"team","value":"vision"}],)"
            R"("settings":[{"name":"containerInsights","value":"disabled"}],"capacityProviders":[],)"
            R"("defaultCapacityProviderStrategy":[]}})");
}

TEST_F(Clusters, WithoutANameItIsTheDefaultCluster) {
  EXPECT_EQ(run_json(&create_cluster, "{}").cluster->clusterName, "default");
  EXPECT_EQ(run_json(&describe_clusters, "{}").clusters->at(0).clusterName, "default");
}

TEST_F(Clusters, IncludeDecidesWhatIsShown) {
  run_json(&create_cluster, R"({"tags":[{"key":"a","value":"b"}],
                               "configuration":{"executeCommandConfiguration":{"logging":"NONE"}}})");
  auto plain = run_json(&describe_clusters, "{}").clusters->at(0);
  EXPECT_TRUE(plain.tags->empty() && plain.settings->empty() && plain.statistics->empty());
  EXPECT_FALSE(plain.configuration || plain.attachments);
  auto all =
      run_json(&describe_clusters, R"({"include":["ATTACHMENTS","SETTINGS","CONFIGURATIONS","STATISTICS","TAGS"]})")
          .clusters->at(0);
  EXPECT_EQ(all.tags->size(), 1u);
  EXPECT_EQ(all.settings->at(0).value, "disabled");
  EXPECT_EQ(all.configuration->executeCommandConfiguration->logging, "NONE");
  EXPECT_EQ(all.statistics->size(), 16u);
  EXPECT_EQ(all.statistics->at(0), (KeyValuePair{"runningEC2TasksCount", "0"}));
  EXPECT_TRUE(all.attachments->empty());
}

TEST_F(Clusters, AMissingClusterIsAFailure) {
  run_json(&create_cluster, R"({"clusterName":"a"})");
  auto found = run_json(&describe_clusters, R"({"clusters":["a","arn:aws:ecs:us-east-1:111111111111:cluster/a","b",
      "arn:aws:ecs:eu-west-1:111111111111:cluster/a","arn:aws:ecs:us-east-1:111111111111:service/a"]})");
  EXPECT_EQ(found.clusters->size(), 2u);
  ASSERT_EQ(found.failures->size(), 3u);
  EXPECT_EQ(found.failures->at(0).arn, "arn:aws:ecs:us-east-1:111111111111:cluster/b");
  EXPECT_EQ(found.failures->at(1).arn, "arn:aws:ecs:eu-west-1:111111111111:cluster/a");
  for (const Failure& failure : *found.failures) EXPECT_EQ(failure.reason, "MISSING");
}

TEST_F(Clusters, CreatingTheSameClusterAgainIsNoErrorButADifferentOneIs) {
  const char* made = R"({"clusterName":"a","settings":[{"name":"containerInsights","value":"enabled"}]})";
  run_json(&create_cluster, made);
  EXPECT_EQ(error_of(&create_cluster, made), "");
  EXPECT_EQ(error_of(&create_cluster, R"({"clusterName":"a"})"), "");
  EXPECT_THAT(
      error_of(&create_cluster, R"({"clusterName":"a","settings":[{"name":"containerInsights","value":"disabled"}]})"),
      HasSubstr("InvalidParameterException: Arguments on this idempotent request are inconsistent"));
}

TEST_F(Clusters, ADeletedClusterIsStillDescribedAndCanBeCreatedAgain) {
  run_json(&create_cluster, R"({"clusterName":"a","tags":[{"key":"k","value":"v"}]})");
  EXPECT_EQ(run_json(&delete_cluster, R"({"cluster":"a"})").cluster->status, "INACTIVE");
  EXPECT_EQ(run_json(&describe_clusters, R"({"clusters":["a"]})").clusters->at(0).status, "INACTIVE");
  EXPECT_TRUE(run_json(&list_clusters, "{}").clusterArns->empty());
  EXPECT_EQ(error_of(&update_cluster, R"({"cluster":"a"})"),
            "ClusterNotFoundException: The referenced cluster was inactive.");
  EXPECT_EQ(error_of(&delete_cluster, R"({"cluster":"a"})"), "");
  EXPECT_EQ(error_of(&delete_cluster, R"({"cluster":"b"})"), "ClusterNotFoundException: Cluster not found.");
  auto again = run_json(&create_cluster, R"({"clusterName":"a"})").cluster;
  EXPECT_EQ(again->status, "ACTIVE");
  EXPECT_TRUE(again->tags->empty());
}

TEST_F(Clusters, AClusterWithContentsIsNotDeleted) {
  auto refusal = [](const state::ClusterContents& contents) -> std::string {
    try {
      check_deletable(contents);
    } catch (const wire::ApiError& error) {
      return error.code();
    }
    return "";
  };
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({.instances = 1, .tasks = 1, .active_services = 1}), "ClusterContainsContainerInstancesException");
  EXPECT_EQ(refusal({.tasks = 1, .draining_services = 1}), "ClusterContainsServicesException");
  EXPECT_EQ(refusal({.tasks = 1}), "ClusterContainsTasksException");
}

TEST_F(Clusters, AListContinuesAfterItsLastNameEvenIfThatWasDeleted) {
  for (std::string name : {"a", "b", "c"}) run(&create_cluster, {.clusterName = name});
  auto first = run_json(&list_clusters, R"({"maxResults":2})");
  EXPECT_EQ(first.clusterArns->size(), 2u);
  run_json(&delete_cluster, R"({"cluster":"b"})");
  auto second = run(&list_clusters, {.nextToken = first.nextToken, .maxResults = 2});
  EXPECT_THAT(*second.clusterArns, ElementsAre("arn:aws:ecs:us-east-1:111111111111:cluster/c"));
  EXPECT_FALSE(second.nextToken);
  EXPECT_THAT(error_of(&list_clusters, R"({"maxResults":101})"), HasSubstr("InvalidParameterException"));
  EXPECT_THAT(error_of(&list_clusters, R"({"nextToken":"?"})"), HasSubstr("Invalid token"));
}

TEST_F(Clusters, AccountsAndRegionsDoNotSeeEachOther) {
  run_json(&create_cluster, R"({"clusterName":"a"})");
  caller_.region = "eu-west-1";
  EXPECT_TRUE(run_json(&list_clusters, "{}").clusterArns->empty());
  EXPECT_EQ(error_of(&delete_cluster, R"({"cluster":"a"})"), "ClusterNotFoundException: Cluster not found.");
}

TEST_F(Clusters, AnInvalidClusterNameIsRejected) {
  for (std::string name : {"a b", "a/b", "gpu.prod"}) {
    const std::string why = R"(InvalidParameterException: Cluster must match ^[a-zA-Z0-9\-_]{1,255}$, but was )" + name;
    EXPECT_EQ(error_of(&list_tasks, R"({"cluster":")" + name + "\"}"), why);
    EXPECT_EQ(error_of(&delete_cluster, R"({"cluster":")" + name + "\"}"), why);
    EXPECT_EQ(error_of(&update_cluster, R"({"cluster":")" + name + "\"}"), why);
  }
}

TEST_F(Clusters, SettingsHaveThreeValues) {
  run_json(&create_cluster, "{}");
  for (std::string value : {"enabled", "disabled", "enhanced"}) {
    auto changed = run(&update_cluster_settings, {.cluster = "default", .settings = {{"containerInsights", value}}});
    EXPECT_EQ(changed.cluster->settings->at(0).value, value);
  }
  EXPECT_THAT(error_of(&update_cluster_settings,
                       R"({"cluster":"default","settings":[{"name":"containerInsights","value":"on"}]})"),
              HasSubstr("InvalidParameterException"));
}

TEST_F(Clusters, TheSettingOfTheAccountIsTheDefaultForNewClusters) {
  run_json(&put_account_setting, R"({"name":"containerInsights","value":"enhanced"})");
  EXPECT_EQ(run_json(&create_cluster, "{}").cluster->settings->at(0).value, "enhanced");
  auto own =
      run_json(&create_cluster, R"({"clusterName":"a","settings":[{"name":"containerInsights","value":"disabled"}]})");
  EXPECT_EQ(own.cluster->settings->at(0).value, "disabled");
}

TEST_F(Clusters, UnsupportedFeaturesAreRejectedByName) {
  run_json(&create_cluster, "{}");
  EXPECT_THAT(error_of(&put_cluster_capacity_providers,
                       R"({"cluster":"default","capacityProviders":["FARGATE"],"defaultCapacityProviderStrategy":[]})"),
              HasSubstr("'FARGATE' is not supported by Stoker"));
  EXPECT_THAT(error_of(&create_cluster, R"({"clusterName":"b","capacityProviders":["mine"]})"),
              HasSubstr("The specified capacity provider 'mine' was not found"));
  EXPECT_THAT(error_of(&create_cluster, R"({"clusterName":"b","serviceConnectDefaults":{"namespace":"n"}})"),
              HasSubstr("serviceConnectDefaults is not supported by Stoker"));
  EXPECT_THAT(error_of(&update_cluster, R"({"cluster":"default","configuration":{"managedStorageConfiguration":{}}})"),
              HasSubstr("managedStorageConfiguration is not supported by Stoker"));
  EXPECT_EQ(error_of(&put_cluster_capacity_providers,
                     R"({"cluster":"default","capacityProviders":[],"defaultCapacityProviderStrategy":[]})"),
            "");
}

}  // namespace
}  // namespace services::ecs
