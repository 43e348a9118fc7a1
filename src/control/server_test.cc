// SPDX-License-Identifier: Apache-2.0
// A whole server in this process, with every service, on loopback.
#include "control/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/log.h"
#include "base/random.h"
#include "http/client.h"
#include "signing/sigv4.h"
#include "store/test_store.h"

namespace control {
namespace {

using testing::HasSubstr;

constexpr base::Duration kPatience = std::chrono::minutes(2);

class ServerTest : public testing::Test {
 protected:
  ServerTest() {
    base::set_log_level(base::LogLevel::Off);
    config_.data = folder_;
    config_.port = 0;
    config_.threads = 2;
    config_.account = "111122223333";
  }
  ~ServerTest() override {
    server_.reset();
    base::set_log_level(base::LogLevel::Info);
    std::filesystem::remove_all(folder_);
  }

  Server& start() {
    server_.reset();
    server_ = std::make_unique<Server>(config_, "1.2.3");
    return *server_;
  }
  std::string host() const { return server_->url().substr(server_->url().find("//") + 2); }

  http::Response send(http::Request request) {
    const std::string port = host().substr(host().rfind(':') + 1);
    http::Client client(io_, http::Endpoint::tcp("127.0.0.1", static_cast<unsigned short>(std::stoi(port))));
    auto response = client.send_now(std::move(request), kPatience);
    EXPECT_TRUE(response) << (response ? "" : response.error());
    return response ? std::move(*response) : http::Response{};
  }
  http::Response get(const std::string& path) { return send({{"GET", path, {{"Host", host()}}}, ""}); }
  // An operation in JSON, signed with the root key.
  http::Response call(const std::string& service, const std::string& target, const std::string& body) {
    const std::string version = service == "sqs" || service == "monitoring" ? "1.0" : "1.1";
    base::Headers headers{
        {"Host", host()}, {"Content-Type", "application/x-amz-json-" + version}, {"X-Amz-Target", target}};
    http::Request request{{"POST", "/", std::move(headers)}, body};
    const state::Key& key = server_->root_key();
    signing::sign(request, {key.id, key.secret, ""}, "us-east-1", service, clock_.now());
    return send(std::move(request));
  }
  // Like curl: a signed request about a bucket.
  http::Response s3(const std::string& method, const std::string& path, const std::string& body = "") {
    http::Request request{{method, path, {{"Host", host()}}}, body};
    const state::Key& key = server_->root_key();
    signing::sign(request, {key.id, key.secret, ""}, "us-east-1", "s3", clock_.now());
    return send(std::move(request));
  }
  std::string read(const std::string& file) const {
    std::ifstream in(folder_ + "/" + file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const std::string folder_ = testing::TempDir() + "server_test_" + base::random_uuid();
  base::SystemClock clock_;
  http::IoThreads io_{1};
  Config config_;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, TheFilesBesideTheDatabaseLeadClientsToIt) {
  start();
  EXPECT_EQ(read("endpoint"), server_->url() + "\n");
  EXPECT_THAT(read("credentials"), HasSubstr("aws_access_key_id = " + server_->root_key().id));
  EXPECT_THAT(read("credentials"), HasSubstr("aws_secret_access_key = " + server_->root_key().secret));
  struct stat status = {};
  ASSERT_EQ(stat((folder_ + "/credentials").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_TRUE(std::filesystem::is_socket(folder_ + "/socket"));
}

TEST_F(ServerTest, EveryServiceAnswersAtTheSameAddress) {
  start();
  EXPECT_EQ(call("sqs", "AmazonSQS.CreateQueue", R"({"QueueName":"jobs"})").status, 200);
  EXPECT_EQ(call("ecs", "AmazonEC2ContainerServiceV20141113.ListClusters", "{}").status, 200);
  EXPECT_EQ(s3("PUT", "/photos").status, 200);
  EXPECT_EQ(call("monitoring", "GraniteServiceVersion20100801.PutMetricData",
                 R"({"Namespace":"Jobs","MetricData":[{"MetricName":"Done","Value":1}]})")
                .status,
            200);
  EXPECT_EQ(call("logs", "Logs_20140328.CreateLogGroup", R"({"logGroupName":"web"})").status, 200);
  EXPECT_EQ(call("events", "AWSEvents.PutRule", R"({"Name":"r","EventPattern":"{\"source\":[\"a\"]}"})").status, 200);
  EXPECT_EQ(call("application-autoscaling", "AnyScaleFrontendService.DescribeScalableTargets",
                 R"({"ServiceNamespace":"ecs"})")
                .status,
            200);
  EXPECT_EQ(call("stoker", "Stoker.ListKeys", "{}").status, 200);
  EXPECT_EQ(call("ssm", "AmazonSSM.DescribeSessions", R"({"State":"Active"})").status, 200);
  const http::Response identity = send([&] {
    http::Request request{{"POST", "/", {{"Host", host()}, {"Content-Type", "application/x-www-form-urlencoded"}}},
                          "Action=GetCallerIdentity&Version=2011-06-15"};
    const state::Key& key = server_->root_key();
    signing::sign(request, {key.id, key.secret, ""}, "us-east-1", "sts", clock_.now());
    return request;
  }());
  EXPECT_EQ(identity.status, 200);
  EXPECT_THAT(identity.body, HasSubstr("111122223333"));
}

TEST_F(ServerTest, AServiceThatStokerDoesNotHaveIsNamedInTheError) {
  start();
  const http::Response response = call("dynamodb", "DynamoDB_20120810.ListTables", "{}");
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("Stoker does not support the service 'dynamodb'."));
}

TEST_F(ServerTest, StateSurvivesARestart) {
  start();
  const state::Key root = server_->root_key();
  call("sqs", "AmazonSQS.CreateQueue", R"({"QueueName":"jobs"})");
  s3("PUT", "/photos");
  s3("PUT", "/photos/cat", "meow");
  start();
  EXPECT_EQ(server_->root_key().id, root.id);
  EXPECT_EQ(server_->root_key().secret, root.secret);
  EXPECT_THAT(call("sqs", "AmazonSQS.ListQueues", "{}").body, HasSubstr("/jobs"));
  EXPECT_EQ(s3("GET", "/photos/cat").body, "meow");
}

TEST_F(ServerTest, ANewDatabaseElsewhereIsNotStartedBesideTheDataOfAnotherOne) {
  const char* url = std::getenv("STOKER_TEST_STORE");
  if (!url || !*url) GTEST_SKIP() << "needs PostgreSQL";
  const store::TestSchema database(url, {}), other(url, {});
  config_.store = database.url();
  start();
  const std::string root = server_->root_key().id;
  EXPECT_EQ(start().root_key().id, root);
  server_.reset();
  config_.store = other.url();
  EXPECT_THAT([&] { start(); }, testing::ThrowsMessage<std::runtime_error>(HasSubstr("the database of --store is new")));
  EXPECT_THAT(read("credentials"), HasSubstr(root));
}

TEST_F(ServerTest, AFileThatACrashLeftWithoutARowIsDeletedAtTheStart) {
  start();
  server_.reset();
  const std::string orphan = folder_ + "/objects/incoming/0123456789abcdef0123456789abcdef";
  std::ofstream(orphan) << "bytes";
  start();
  EXPECT_FALSE(std::filesystem::exists(orphan));
}

TEST_F(ServerTest, AnObjectThatIsPutReachesTheQueueOfItsBucket) {
  start();
  const http::Response queue =
      call("sqs", "AmazonSQS.CreateQueue",
           R"({"QueueName":"jobs","Attributes":{"Policy":)"
           R"("{\"Statement\":[{\"Effect\":\"Allow\",\"Principal\":{\"Service\":\"s3.amazonaws.com\"},)"
           R"(\"Action\":\"sqs:SendMessage\",\"Resource\":\"*\"}]}"}})");
  ASSERT_EQ(queue.status, 200) << queue.body;
  s3("PUT", "/photos");
  const http::Response set =
      s3("PUT", "/photos?notification",
         "<NotificationConfiguration><QueueConfiguration><Queue>arn:aws:sqs:us-east-1:111122223333:jobs</Queue>"
         "<Event>s3:ObjectCreated:*</Event></QueueConfiguration></NotificationConfiguration>");
  ASSERT_EQ(set.status, 200) << set.body;
  // A waiter is woken by the object, so nothing here depends on time.
  s3("PUT", "/photos/cat", "meow");
  const std::string receive =
      R"({"QueueUrl":")" + server_->url() + R"(/111122223333/jobs","MaxNumberOfMessages":10,"WaitTimeSeconds":20})";
  EXPECT_THAT(call("sqs", "AmazonSQS.ReceiveMessage", receive).body, HasSubstr("cat"));
}

TEST_F(ServerTest, LoopsOfTheServicesRun) {
  start();
  const std::string arn = "arn:aws:sqs:us-east-1:111122223333:";
  const std::string url = server_->url() + "/111122223333/";
  call("sqs", "AmazonSQS.CreateQueue", R"({"QueueName":"dead"})");
  call("sqs", "AmazonSQS.CreateQueue",
       R"({"QueueName":"jobs","Attributes":{"RedrivePolicy":)"
       R"("{\"deadLetterTargetArn\":\")" +
           arn + R"(dead\",\"maxReceiveCount\":3}"}})");
  call("sqs", "AmazonSQS.SendMessage", R"({"QueueUrl":")" + url + R"(dead","MessageBody":"again"})");
  const http::Response moved = call("sqs", "AmazonSQS.StartMessageMoveTask",
                                    R"({"SourceArn":")" + arn + R"(dead","DestinationArn":")" + arn + R"(jobs"})");
  ASSERT_EQ(moved.status, 200) << moved.body;
  // The loop moves the message and wakes this waiter.
  const std::string receive = R"({"QueueUrl":")" + url + R"(jobs","WaitTimeSeconds":20})";
  std::string received;
  for (int i = 0; i < 3 && received.find("again") == received.npos; ++i) {
    received = call("sqs", "AmazonSQS.ReceiveMessage", receive).body;
  }
  EXPECT_THAT(received, HasSubstr("again"));
}

TEST_F(ServerTest, AServiceRecoversItsMemoryAtTheStart) {
  const std::string ecs = "AmazonEC2ContainerServiceV20141113.";
  start();
  call("ecs", ecs + "CreateCluster", "{}");
  const http::Response joined = call("ecs", ecs + "RegisterContainerInstance",
                                     R"({"totalResources":[{"name":"CPU","type":"INTEGER","integerValue":1024},)"
                                     R"({"name":"MEMORY","type":"INTEGER","integerValue":1024}]})");
  ASSERT_EQ(joined.status, 200) << joined.body;
  const http::Response defined =
      call("ecs", ecs + "RegisterTaskDefinition",
           R"({"family":"work","containerDefinitions":[{"name":"main","image":"work","memory":64}]})");
  ASSERT_EQ(defined.status, 200) << defined.body;
  const std::string before = call("ecs", ecs + "RunTask", R"({"taskDefinition":"work"})").body;
  start();
  // The fleet of the cluster is rebuilt from the database: the machine is known, and its agent is away as before.
  EXPECT_THAT(before, HasSubstr("\"reason\":\"AGENT\""));
  EXPECT_EQ(call("ecs", ecs + "RunTask", R"({"taskDefinition":"work"})").body, before);
}

TEST_F(ServerTest, MetricsCountRequestsAndShowWhatServicesHave) {
  start();
  call("sqs", "AmazonSQS.CreateQueue", R"({"QueueName":"jobs"})");
  const std::string page = get("/metrics").body;
  EXPECT_THAT(page, HasSubstr("stoker_request_seconds_count{operation=\"CreateQueue\",service=\"sqs\"} 1"));
  EXPECT_THAT(page, HasSubstr("stoker_sqs_queues 1"));
  EXPECT_THAT(page, HasSubstr("stoker_connections{kind=\"local\"} "));
  for (const char* what : {"free", "size", "reserve"}) {
    const std::string name = std::string("stoker_disk_") + what + "_bytes";
    EXPECT_THAT(page, HasSubstr("# TYPE " + name + " gauge\n" + name + " "));
  }
}

TEST_F(ServerTest, AnAddressThatIsTakenIsAnError) {
  start();
  Config second = config_;
  second.data = folder_ + "/second";
  second.port = static_cast<unsigned short>(std::stoi(host().substr(host().rfind(':') + 1)));
  EXPECT_THROW(Server(second, "1.2.3"), std::exception);
}

TEST_F(ServerTest, ACertificateThatIsMissingIsAnError) {
  config_.tls_certificate = folder_ + "/none.pem";
  config_.tls_key = folder_ + "/none.key";
  EXPECT_THROW(start(), std::exception);
}

}  // namespace
}  // namespace control
