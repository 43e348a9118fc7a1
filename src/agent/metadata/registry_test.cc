// SPDX-License-Identifier: Apache-2.0
#include "agent/metadata/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace agent {
namespace {

namespace json = boost::json;

constexpr const char* kArn = "arn:aws:ecs:us-east-1:000000000000:task/default/0123";

class MetadataTest : public testing::Test {
 protected:
  MetadataTest() {
    TaskMetadata task{.cluster = "default", .arn = kArn, .family = "train", .revision = "3", .known_status = "RUNNING"};
    task.memory_mib = 2048;
    task.pull_started_at = base::from_seconds(1'700'000'000);
    task.launch_type = "EC2";
    ContainerMetadata container{.endpoint_id = "e1", .docker_id = "d1", .name = "main", .docker_name = "stoker-train"};
    container.known_status = "RUNNING";
    container.cpu_units = 512;
    container.memory_mib = 1024;
    container.started_at = base::from_seconds(1'700'000'001);
    container.network_mode = "bridge";
    container.ipv4_addresses = {"172.17.0.2"};
    container.ports = {{.container_port = 80, .host_port = 32768, .protocol = "tcp", .host_ip = "0.0.0.0"}};
    container.container_arn = "arn:c";
    task.containers = {container, {.endpoint_id = "e2", .docker_id = "d2", .name = "side"}};
    registry_.set_task(std::move(task));
  }

  http::Response get(const std::string& path) { return registry_.respond({.method = "GET", .target = path}); }
  json::object read(const std::string& path) {
    http::Response response = get(path);
    EXPECT_EQ(response.status, 200) << path;
    return json::parse(response.body).as_object();
  }

  MetadataRegistry registry_;
};

TEST_F(MetadataTest, AContainerHasAmazonsJson) {
  EXPECT_EQ(json::serialize(read("/v4/e1")),
            R"({"DockerId":"d1","Name":"main","DockerName":"stoker-train","Image":"","ImageID":"",)"
            R"("Ports":[{"ContainerPort":80,"Protocol":"tcp","HostPort":32768,"HostIp":"0.0.0.0"}],)"
            R"("DesiredStatus":"RUNNING","KnownStatus":"RUNNING","Limits":{"CPU":512,"Memory":1024},)"
            R"("StartedAt":"2023-11-14T22:13:21.000Z","Type":"NORMAL","ContainerARN":"arn:c",)"
            R"("Networks":[{"NetworkMode":"bridge","IPv4Addresses":["172.17.0.2"]}]})");
  EXPECT_EQ(read("/v3/e1"), read("/v4/e1"));
}

TEST_F(MetadataTest, ATaskListsAllItsContainers) {
  json::object task = read("/v4/e2/task");
  EXPECT_EQ(task["TaskARN"], kArn);
  EXPECT_EQ(task["Cluster"], "default");
  EXPECT_EQ(task["Family"], "train");
  EXPECT_EQ(task["Revision"], "3");
  EXPECT_EQ(task["Limits"], json::parse(R"({"Memory": 2048})"));
  EXPECT_EQ(task["PullStartedAt"], "2023-11-14T22:13:20.000Z");
  EXPECT_EQ(task["LaunchType"], "EC2");
  ASSERT_EQ(task["Containers"].as_array().size(), 2u);
  EXPECT_EQ(task["Containers"].as_array()[1].as_object()["Name"], "side");
}

// The formula of `docker stats`, which programs copy.
TEST_F(MetadataTest, StatsYieldTheMeasuredPercentage) {
  EXPECT_EQ(get("/v4/e1/stats").body, "null");
  registry_.set_usage("e1", {.at = base::from_seconds(100), .cpu_percent = 10, .memory_bytes = 5});
  registry_.set_usage("e1", {.at = base::from_seconds(110), .cpu_percent = 150, .memory_bytes = 1000});
  json::object stats = read("/v4/e1/stats");
  auto number = [&](const char* pointer) { return json::value(stats).at_pointer(pointer).to_number<double>(); };
  double cpu = number("/cpu_stats/cpu_usage/total_usage") - number("/precpu_stats/cpu_usage/total_usage");
  double system = number("/cpu_stats/system_cpu_usage") - number("/precpu_stats/system_cpu_usage");
  EXPECT_NEAR(cpu / system * number("/cpu_stats/online_cpus") * 100, 150, 0.01);
  EXPECT_EQ(number("/memory_stats/usage"), 1000);
  EXPECT_EQ(number("/memory_stats/limit"), 1024.0 * 1024 * 1024);
  json::object all = read("/v4/e2/task/stats");
  EXPECT_EQ(all["d1"], stats);
  EXPECT_TRUE(all["d2"].is_null());
}

TEST_F(MetadataTest, AnUnknownIdReturnsTheErrorTextOfAmazonsAgent) {
  EXPECT_EQ(get("/v4/bad").status, 404);
  EXPECT_EQ(get("/v4/bad").body,
            "\"V4 container metadata handler: unable to get container ID from request: unable to get docker ID from v3 "
            "endpoint ID: bad\"");
  EXPECT_EQ(get("/v4/bad/task").body,
            "\"V4 task metadata handler: unable to get task arn from request: unable to get task Arn from v3 endpoint "
            "ID: bad\"");
  EXPECT_EQ(get("/v4/bad/task/stats").status, 404);
  EXPECT_EQ(get("/v4/").status, 404);
  EXPECT_EQ(get("/v4/e1/wings").status, 404);
  EXPECT_EQ(get("/").status, 404);
  EXPECT_EQ(registry_.respond({.method = "POST", .target = "/v4/e1"}).status, 405);
}

TEST_F(MetadataTest, ARemovedTaskIsUnknown) {
  registry_.set_usage("e1", {});
  registry_.remove_task(kArn);
  EXPECT_EQ(get("/v4/e1").status, 404);
  EXPECT_EQ(get("/v4/e2/task").status, 404);
  registry_.set_usage("e1", {});
  registry_.remove_task(kArn);
}

TEST_F(MetadataTest, CredentialsAreReturnedByTheirIdAndNeverListed) {
  registry_.set_credentials(
      {"c1", "arn:aws:iam::000000000000:role/r", "AKID", "secret", "token", "2030-01-01T00:00:00Z"});
  EXPECT_EQ(get("/v2/credentials/c1").body,
            R"({"RoleArn":"arn:aws:iam::000000000000:role/r","AccessKeyId":"AKID","SecretAccessKey":"secret",)"
            R"("Token":"token","Expiration":"2030-01-01T00:00:00Z"})");
  EXPECT_EQ(get("/v2/credentials/c2").status, 400);
  EXPECT_EQ(
      get("/v2/credentials/c2").body,
      R"({"code":"InvalidIdInRequest","message":"CredentialsV2Request: Credentials not found","HTTPErrorCode":400})");
  EXPECT_EQ(get("/v2/credentials/").status, 400);
  EXPECT_EQ(get("/v2/credentials").status, 400);
  registry_.set_credentials({"c1", std::nullopt, "AKID2", "secret", "token", "2031-01-01T00:00:00Z"});
  EXPECT_EQ(read("/v2/credentials/c1")["AccessKeyId"], "AKID2");
  registry_.remove_credentials("c1");
  EXPECT_EQ(get("/v2/credentials/c1").status, 400);
}

}  // namespace
}  // namespace agent
