// SPDX-License-Identifier: Apache-2.0
// stoker env, status and scrub.
#include <gmock/gmock.h>

#include <sstream>

#include "cli/fake_server.h"

namespace cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Status : public FakeServer {
 protected:
  std::string status_error() {
    try {
      status(options_, out_);
      return "";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }

  std::ostringstream out_;
};

constexpr char kHealth[] = R"({"status":"ok","version":"1.2.3","uptimeSeconds":3661})";

TEST_F(Status, EnvPrintsExportsForAwsClients) {
  options_.region = "eu-west-1";
  EXPECT_EQ(env(options_, out_), 0);
  EXPECT_EQ(out_.str(), "export AWS_ENDPOINT_URL=" + endpoint() +
                            "\n"
                            "export AWS_ACCESS_KEY_ID=AKIATEST\n"
                            "export AWS_SECRET_ACCESS_KEY=s3cret\n"
                            "export AWS_REGION=eu-west-1\n"
                            "export AWS_DEFAULT_REGION=eu-west-1\n"
                            "unset AWS_SESSION_TOKEN AWS_PROFILE\n");
}

TEST_F(Status, EnvIsSafeToEvaluateAndHasWhatAServerElsewhereNeeds) {
  options_.remote = client::Profile{};
  options_.remote->endpoint = "https://far:4566";
  options_.remote->credentials = {"K", "it's $(secret)", "token"};
  options_.remote->ca_file = "/etc/my certificates/ca.pem";
  EXPECT_EQ(env(options_, out_), 0);
  EXPECT_THAT(out_.str(), HasSubstr("export AWS_SECRET_ACCESS_KEY='it'\\''s $(secret)'\n"));
  EXPECT_THAT(out_.str(), HasSubstr("export AWS_CA_BUNDLE='/etc/my certificates/ca.pem'\n"));
  EXPECT_THAT(out_.str(), HasSubstr("export AWS_SESSION_TOKEN=token\nunset AWS_PROFILE\n"));
  out_.str("");
  options_.json = true;
  EXPECT_EQ(env(options_, out_), 0);
  EXPECT_THAT(out_.str(), HasSubstr(R"("AWS_SESSION_TOKEN":"token","AWS_CA_BUNDLE":"/etc/my certificates/ca.pem")"));
}

constexpr char kClusters[] = R"({"clusters":[
    {"clusterArn":"arn:a","name":"default","region":"us-east-1","machines":1,"runningTasks":0,"pendingTasks":1,"services":0},
    {"clusterArn":"arn:b","name":"lab","region":"eu-west-1","machines":1,"runningTasks":1,"pendingTasks":0,"services":0}]})";

TEST_F(Status, TasksThatGoOnAreThoseOfAllClustersAlsoPendingOnes) {
  reply("StokerListClusters", kClusters);
  reply("ListTasks", R"({"taskArns":["arn:aws:ecs:r:0:task/default/aaaa"]})");
  reply("ListTasks", R"({"taskArns":[]})");
  reply("ListTasks", R"({"taskArns":["arn:aws:ecs:r:0:task/lab/bbbb"]})");
  reply("ListTasks", R"({"taskArns":[]})");
  reply("DescribeTasks", R"({"tasks":[{"taskArn":"t/aaaa","taskDefinitionArn":"d/train:1","lastStatus":"PENDING"}]})");
  reply("DescribeTasks", R"({"tasks":[{"taskArn":"t/bbbb","taskDefinitionArn":"d/ocr:2","lastStatus":"RUNNING"}]})");
  EXPECT_EQ(tasks_that_go_on(options_),
            "2 tasks go on: aaaa of train:1, bbbb of ocr:2; the server finds them when it is started again");
  EXPECT_THAT(requests("ListTasks").at(2), HasSubstr(R"("cluster":"lab")"));
}

TEST_F(Status, TasksThatCannotBeListedAreNotCalledAbsent) {
  reply_error("StokerListClusters", "ServerException", "The disk is full.");
  EXPECT_EQ(tasks_that_go_on(options_), "tasks that run go on (the server did not list them: The disk is full.)");
}

TEST_F(Status, BackupAndRestoreRejectAServerElsewhere) {
  options_.remote = client::Profile{};
  options_.remote->endpoint = endpoint();
  const std::string folder = testing::TempDir() + "backup_" + base::random_uuid();
  EXPECT_THROW(backup(options_, {.folder = folder}, out_), std::runtime_error);
  EXPECT_THROW(restore(options_, folder, out_), std::runtime_error);
  EXPECT_TRUE(heads().empty());
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(Status, QueuesOfAllPagesAreShownWithTheirCounts) {
  reply("/health", kHealth);
  reply("ListQueues", R"({"QueueUrls":["http://x/000000000000/jobs"],"NextToken":"more"})");
  reply("ListQueues", R"({"QueueUrls":["http://x/000000000000/dead"]})");
  reply("GetQueueAttributes", R"({"Attributes":{"ApproximateNumberOfMessages":"7",
      "ApproximateNumberOfMessagesNotVisible":"2","ApproximateNumberOfMessagesDelayed":"1"}})");
  reply("GetQueueAttributes", R"({"Attributes":{"ApproximateNumberOfMessages":"0",
      "ApproximateNumberOfMessagesNotVisible":"0","ApproximateNumberOfMessagesDelayed":"0"}})");
  EXPECT_EQ(status(options_, out_), 0);
  EXPECT_EQ(out_.str(), "Stoker 1.2.3 at " + endpoint() +
                            ", up for 1 h 1 min\n"
                            "QUEUE  VISIBLE  IN FLIGHT  DELAYED\n"
                            "jobs   7        2          1\n"
                            "dead   0        0          0\n");
  EXPECT_THAT(requests("ListQueues").at(1), HasSubstr(R"("NextToken":"more")"));
}

TEST_F(Status, WithoutQueuesTheRegionIsNamed) {
  reply("/health", kHealth);
  reply("ListQueues", "{}");
  EXPECT_EQ(status(options_, out_), 0);
  EXPECT_THAT(out_.str(), HasSubstr("no queues in region us-east-1\n"));
}

TEST_F(Status, JsonIsTheServersOwn) {
  reply("/health", kHealth);
  options_.json = true;
  EXPECT_EQ(status(options_, out_), 0);
  EXPECT_EQ(out_.str(), kHealth);
}

TEST_F(Status, AnUnhealthyOrMissingServerIsAnErrorThatNamesIt) {
  reply("/health", "", 503);
  EXPECT_EQ(status_error(), "no Stoker responds at " + endpoint() + ": status 503");
  std::ofstream(options_.data + "/endpoint") << "http://127.0.0.1:1\n";
  EXPECT_THAT(status_error(), HasSubstr("no Stoker responds at http://127.0.0.1:1: "));
}

using Scrub = Status;

TEST_F(Scrub, IntactObjectsExitWithZero) {
  reply("/stoker/scrub", R"({"progress":{"checked":1,"bytes":100,"bad":0,"unnamed":0}})"
                         "\n"
                         R"({"done":{"checked":2,"bytes":300,"bad":0,"unnamed":0}})"
                         "\n");
  EXPECT_EQ(scrub(options_, out_), 0);
  EXPECT_EQ(out_.str(), "objects and parts read: 2, of 300 bytes: all are what was uploaded\n");
}

TEST_F(Scrub, DamagedObjectsAreListedAndExitWithOne) {
  reply("/stoker/scrub",
        R"({"finding":{"problem":"SHORT","detail":"10 bytes","bucket":"b","key":"k","versionId":"v1"}})"
        "\n"
        R"({"finding":{"problem":"DAMAGED","detail":"sum","bucket":"b","key":"big","uploadId":"u1","part":3}})"
        "\n"
        R"({"finding":{"problem":"UNNAMED","detail":"","file":"ab/cd"}})"
        "\n"
        R"({"done":{"checked":2,"bytes":300,"bad":2,"unnamed":1}})"
        "\n");
  EXPECT_EQ(scrub(options_, out_), 1);
  EXPECT_EQ(out_.str(),
            "PROBLEM  BUCKET  KEY    VERSION    PART  DETAIL\n"
            "SHORT    b       k      v1               10 bytes\n"
            "DAMAGED  b       big    upload u1  3     sum\n"
            "UNNAMED          ab/cd\n"
            "objects and parts read: 2, of 300 bytes: 2 are not what was uploaded; 1 files belong to no object\n");
}

TEST_F(Scrub, JsonHasFindingsAndTheResultButNoProgress) {
  reply("/stoker/scrub", R"({"progress":{"checked":1,"bytes":1,"bad":0,"unnamed":0}})"
                         "\n"
                         R"({"done":{"checked":2,"bytes":3,"bad":0,"unnamed":0}})"
                         "\n");
  options_.json = true;
  EXPECT_EQ(scrub(options_, out_), 0);
  EXPECT_EQ(out_.str(), R"({"done":{"checked":2,"bytes":3,"bad":0,"unnamed":0}})"
                        "\n");
}

TEST_F(Scrub, WithoutAResultItEndedEarly) {
  reply("/stoker/scrub", R"({"progress":{"checked":1,"bytes":1,"bad":0,"unnamed":0}})"
                         "\n");
  EXPECT_THROW(scrub(options_, out_), std::runtime_error);
}

}  // namespace
}  // namespace cli
