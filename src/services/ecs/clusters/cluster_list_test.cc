// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/clusters/cluster_list.h"

#include "services/ecs/clusters/cluster_operations.h"
#include "services/ecs/ecs_fixture.h"

namespace services::ecs {
namespace {

using ClusterList = EcsTest;

TEST_F(ClusterList, AllActiveClustersOfTheAccountAreListed) {
  run_json(&create_cluster, R"({"clusterName":"blue"})");
  run_json(&create_cluster, R"({"clusterName":"gone"})");
  run_json(&create_cluster, R"({"clusterName":"green"})");
  run_json(&delete_cluster, R"({"cluster":"gone"})");
  const auto listed = run_json(&stoker_list_clusters, "{}");
  ASSERT_EQ(listed.clusters.size(), 2U);
  EXPECT_EQ(listed.clusters[0].name, "blue");
  EXPECT_EQ(listed.clusters[0].region, "us-east-1");
  EXPECT_EQ(listed.clusters[0].clusterArn, "arn:aws:ecs:us-east-1:111111111111:cluster/blue");
  EXPECT_EQ(listed.clusters[0].machines, 0);
  EXPECT_EQ(listed.clusters[1].name, "green");
  EXPECT_FALSE(listed.nextToken);
}

TEST_F(ClusterList, MoreThanAPageFollowWithAToken) {
  for (int i = 0; i < 101; ++i) run_json(&create_cluster, R"({"clusterName":"c)" + std::to_string(1000 + i) + "\"}");
  const auto first = run_json(&stoker_list_clusters, "{}");
  ASSERT_EQ(first.clusters.size(), 100U);
  ASSERT_TRUE(first.nextToken);
  const auto rest = run_json(&stoker_list_clusters, R"({"nextToken":")" + *first.nextToken + "\"}");
  ASSERT_EQ(rest.clusters.size(), 1U);
  EXPECT_EQ(rest.clusters[0].name, "c1100");
}

}  // namespace
}  // namespace services::ecs
