// SPDX-License-Identifier: Apache-2.0
// stoker cluster
#include <gmock/gmock.h>

#include <sstream>

#include "cli/fake_server.h"

namespace cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ClusterCommands : public FakeServer {
 protected:
  std::ostringstream out_;
};

TEST_F(ClusterCommands, ClustersOfAllPagesAndRegionsAreListed) {
  reply("StokerListClusters", R"({"clusters":[{"clusterArn":"a","name":"default","region":"eu-west-1","machines":2,)"
                              R"("runningTasks":3,"pendingTasks":1,"services":4}],"nextToken":"t"})");
  reply("StokerListClusters", R"({"clusters":[{"clusterArn":"b","name":"lab","region":"us-east-1","machines":0,)"
                              R"("runningTasks":0,"pendingTasks":0,"services":0}]})");
  EXPECT_EQ(cluster_list(options_, out_), 0);
  EXPECT_EQ(out_.str(),
            "CLUSTER  REGION     MACHINES  RUNNING  PENDING  SERVICES\n"
            "default  eu-west-1  2         3        1        4\n"
            "lab      us-east-1  0         0        0        0\n");
  EXPECT_THAT(requests("StokerListClusters"), ElementsAre("{}", R"({"nextToken":"t"})"));
}

TEST_F(ClusterCommands, WithoutClustersTheNextStepIsNamed) {
  reply("StokerListClusters", R"({"clusters":[]})");
  EXPECT_EQ(cluster_list(options_, out_), 0);
  EXPECT_THAT(out_.str(), HasSubstr("`stoker token`"));
  out_.str("");
  options_.json = true;
  EXPECT_EQ(cluster_list(options_, out_), 0);
  EXPECT_EQ(out_.str(), "{\"clusters\":[]}\n");
}

TEST_F(ClusterCommands, ACreatedClusterIsNamedWithTheCommandForItsMachines) {
  reply("CreateCluster", R"({"cluster":{"clusterName":"lab"}})");
  EXPECT_EQ(cluster_create(options_, "lab", out_), 0);
  EXPECT_THAT(out_.str(), HasSubstr("created cluster lab in us-east-1"));
  EXPECT_THAT(out_.str(), HasSubstr("`stoker token --cluster lab`"));
  EXPECT_THAT(requests("CreateCluster"), ElementsAre(R"({"clusterName":"lab"})"));
}

TEST_F(ClusterCommands, ADeletedClusterIsNamed) {
  reply("DeleteCluster", R"({"cluster":{"clusterName":"lab"}})");
  EXPECT_EQ(cluster_delete(options_, "lab", out_), 0);
  EXPECT_EQ(out_.str(), "deleted cluster lab in us-east-1\n");
  EXPECT_THAT(requests("DeleteCluster"), ElementsAre(R"({"cluster":"lab"})"));
}

TEST_F(ClusterCommands, AMissingClusterIsNamed) {
  reply_error("DeleteCluster", "ClusterNotFoundException", "Cluster not found.");
  try {
    cluster_delete(options_, "lab", out_);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no such cluster: lab in region us-east-1"));
  }
}

}  // namespace
}  // namespace cli
