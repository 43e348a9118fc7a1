// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/arguments.h"

namespace cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class DaemonArguments : public testing::Test {
 protected:
  DaemonArguments() { unset_variables(); }
  ~DaemonArguments() override { unset_variables(); }

  static void unset_variables() {
    for (const char* name : {"STOKER_TOKEN", "STOKER_OBJECTS_ACCESS_KEY_ID", "STOKER_OBJECTS_SECRET_ACCESS_KEY"}) {
      ::unsetenv(name);
    }
  }

  // Parses into server_ and agent_. Returns the error, or "".
  std::string parse(const std::string& line) {
    CLI::App app;
    server_ = {};
    agent_ = {};
    add_up(app, server_, agent_);
    add_server(app, server_);
    add_agent(app, agent_);
    try {
      app.parse(line);
      return "";
    } catch (const CLI::ParseError& error) {
      return error.what();
    }
  }

  ServerArguments server_;
  AgentArguments agent_;
};

TEST_F(DaemonArguments, GpuMetricsAreServedWhereDcgmExporterServesThem) {
  EXPECT_EQ(parse("up"), "");
  EXPECT_EQ(agent_.metrics_listen, "127.0.0.1:9400");
  EXPECT_EQ(parse("agent --join http://s --metrics-listen :9401"), "");
  EXPECT_EQ(agent_.metrics_listen, ":9401");
  EXPECT_NE(parse("server --metrics-listen :9401"), "");
}

TEST_F(DaemonArguments, ServerHasDefaults) {
  ASSERT_EQ(parse("server"), "");
  EXPECT_EQ(server_.listen, "127.0.0.1:4566");
  EXPECT_EQ(server_.lost_after, std::chrono::minutes(65));
  EXPECT_EQ(server_.threads, 0);
  EXPECT_EQ(server_.account, std::nullopt);
  EXPECT_EQ(server_.log_level, base::LogLevel::Info);
  EXPECT_EQ(server_.objects_region, "us-east-1");
  EXPECT_TRUE(server_.domains.empty());
  EXPECT_FALSE(server_.no_test_events);
}

TEST_F(DaemonArguments, ServerTakesAllOptions) {
  ASSERT_EQ(parse("server --data /d --listen :80 --tls-cert c.pem --tls-key k.pem --account 123456789012 --threads 8 "
                  "--lost-after 90s --domain a.example --domain b.example --no-test-events --log-level debug "
                  "--objects-endpoint https://s3.example --objects-region eu-west-1 --max-connections 600 "
                  "--max-connections-per-address 7 --max-connections-per-account 8 --max-unverified-bodies 9 "
                  "--max-bodies 10 --account-max-bytes 2K --account-max-queues 3 --account-max-objects 4 "
                  "--account-quota 222222222222:queues=5 --account-quota 333333333333:bytes=1,objects=unlimited"),
            "");
  EXPECT_EQ(server_.data, "/d");
  EXPECT_EQ(server_.listen, ":80");
  EXPECT_EQ(server_.tls_certificate, "c.pem");
  EXPECT_EQ(server_.tls_key, "k.pem");
  EXPECT_EQ(server_.account, "123456789012");
  EXPECT_EQ(server_.threads, 8);
  EXPECT_EQ(server_.lost_after, std::chrono::seconds(90));
  EXPECT_THAT(server_.domains, ElementsAre("a.example", "b.example"));
  EXPECT_TRUE(server_.no_test_events);
  EXPECT_EQ(server_.log_level, base::LogLevel::Debug);
  EXPECT_EQ(server_.objects_endpoint, "https://s3.example");
  EXPECT_EQ(server_.objects_region, "eu-west-1");
  EXPECT_EQ(server_.max_connections, 600u);
  EXPECT_EQ(server_.max_per_address, 7u);
  EXPECT_EQ(server_.max_per_account, 8u);
  EXPECT_EQ(server_.unverified_body_mib, 9u);
  EXPECT_EQ(server_.account_body_mib, 10u);
  EXPECT_EQ(server_.account_max_bytes, 2048);
  EXPECT_EQ(server_.account_max_queues, 3);
  EXPECT_EQ(server_.account_max_objects, 4);
  EXPECT_THAT(server_.account_quotas, ElementsAre("222222222222:queues=5", "333333333333:bytes=1,objects=unlimited"));
}

TEST_F(DaemonArguments, InvalidServerValuesAreRejectedWithTheOption) {
  EXPECT_THAT(parse("server --account 12"), HasSubstr("--account"));
  EXPECT_THAT(parse("server --threads 257"), HasSubstr("--threads"));
  EXPECT_THAT(parse("server --threads many"), HasSubstr("--threads"));
  EXPECT_THAT(parse("server --lost-after soon"), HasSubstr("invalid duration 'soon'"));
  EXPECT_THAT(parse("server --log-level loud"), HasSubstr("--log-level"));
  EXPECT_THAT(parse("server --objects-endpoint s3.example"), HasSubstr("--objects-endpoint"));
  EXPECT_NE(parse("server --no-such-option"), "");
  EXPECT_NE(parse("server extra"), "");
}

TEST_F(DaemonArguments, CertificateAndKeyNeedEachOther) {
  EXPECT_THAT(parse("server --tls-cert c.pem"), HasSubstr("--tls-key"));
  EXPECT_THAT(parse("up --tls-key k.pem"), HasSubstr("--tls-cert"));
}

TEST_F(DaemonArguments, TheKeysOfAnExternalS3ComeFromTheEnvironmentOnly) {
  ::setenv("STOKER_OBJECTS_ACCESS_KEY_ID", "AKIAS3", 1);
  ::setenv("STOKER_OBJECTS_SECRET_ACCESS_KEY", "hidden", 1);
  ASSERT_EQ(parse("server"), "");
  EXPECT_EQ(server_.objects_access_key_id, "AKIAS3");
  EXPECT_EQ(server_.objects_secret_access_key, "hidden");
  EXPECT_NE(parse("server --objects-access-key-id AKIA"), "");
  EXPECT_NE(parse("server --objects-secret-access-key x"), "");
}

TEST_F(DaemonArguments, UpTakesOptionsOfTheServerAndTheMachine) {
  ASSERT_EQ(parse("up --listen :4566 --no-agent --region eu-west-1 --gpus fake:8xV100 --driver process --name box-a "
                  "--cpu 2048 --memory 4096 --gpu-default-runtime --keep-stopped 1d --max-logs 500 --task-user worker "
                  "--task-uids 5000-6000 --hide /a --hide /b"),
            "");
  EXPECT_EQ(server_.listen, ":4566");
  EXPECT_TRUE(server_.no_agent);
  EXPECT_EQ(agent_.region, "eu-west-1");
  EXPECT_EQ(agent_.gpus, "fake:8xV100");
  EXPECT_EQ(agent_.driver, "process");
  EXPECT_EQ(agent_.name, "box-a");
  EXPECT_EQ(agent_.cpu_units, 2048);
  EXPECT_EQ(agent_.memory_mib, 4096);
  EXPECT_TRUE(agent_.gpu_default_runtime);
  EXPECT_EQ(agent_.keep_stopped, std::chrono::hours(24));
  EXPECT_EQ(agent_.max_logs_mib, 500);
  EXPECT_EQ(agent_.task_user, "worker");
  EXPECT_EQ(agent_.task_uids, "5000-6000");
  EXPECT_EQ(agent_.hidden, (std::vector<std::string>{"/a", "/b"}));
}

TEST_F(DaemonArguments, UpHasNoOptionsToJoinAnotherServer) {
  EXPECT_NE(parse("up --join http://server:4566"), "");
  EXPECT_NE(parse("up --token-file /dev/null"), "");
}

TEST_F(DaemonArguments, AgentHasDefaults) {
  ASSERT_EQ(parse("agent --join http://server:4566"), "");
  EXPECT_EQ(agent_.join, "http://server:4566");
  EXPECT_EQ(agent_.token, "");
  EXPECT_EQ(agent_.cluster, "default");
  EXPECT_EQ(agent_.region, "us-east-1");
  EXPECT_EQ(agent_.gpus, "auto");
  EXPECT_EQ(agent_.driver, "auto");
  EXPECT_EQ(agent_.keep_stopped, std::chrono::hours(3));
  EXPECT_EQ(agent_.cpu_units, std::nullopt);
  EXPECT_EQ(agent_.memory_mib, std::nullopt);
  EXPECT_EQ(agent_.reserved_memory_mib, 0);
  EXPECT_EQ(agent_.min_free_disk_mib, 256);
}

TEST_F(DaemonArguments, AgentHasItsTokenNotOnTheCommandLine) {
  EXPECT_THAT(parse("agent --join http://server:4566 --token stk1.x"), HasSubstr("--token"));
  ::setenv("STOKER_TOKEN", "stk1.from-environment", 1);
  EXPECT_EQ(parse("agent --join http://server:4566"), "");
  EXPECT_EQ(agent_.token, "stk1.from-environment");
}

TEST_F(DaemonArguments, ATokenMayComeFromAFile) {
  EXPECT_EQ(parse("agent --join http://s --token-file /dev/null"), "");
  EXPECT_EQ(agent_.token_file, "/dev/null");
  EXPECT_THAT(parse("agent --join http://s --token-file /no/such/file"), HasSubstr("--token-file"));
  EXPECT_EQ(parse("agent --token-file /dev/null"), "");  // the address of the server may be in it: see token_file.h
  EXPECT_FALSE(agent_.cluster_is_given || agent_.region_is_given);
  EXPECT_EQ(parse("agent --token-file /dev/null --cluster default --region us-east-1"), "");
  EXPECT_TRUE(agent_.cluster_is_given && agent_.region_is_given);
}

TEST_F(DaemonArguments, ImagesArePulledByTheRuleThatIsChosen) {
  ASSERT_EQ(parse("agent --join http://s --token-file /dev/null"), "");
  EXPECT_EQ(agent_.image_pull, "default");
  ASSERT_EQ(parse("up --image-pull prefer-cached"), "");
  EXPECT_EQ(agent_.image_pull, "prefer-cached");
  EXPECT_THAT(parse("up --image-pull never"), HasSubstr("--image-pull"));
}

TEST_F(DaemonArguments, TheAgentOfAnInstanceEndsWithItsMachine) {
  const std::string agent = "agent --join http://s ";
  ASSERT_EQ(parse(agent), "");
  EXPECT_FALSE(agent_.ephemeral);
  EXPECT_FALSE(agent_.clean_up);
  EXPECT_EQ(agent_.stop_timeout, std::chrono::seconds(30));
  EXPECT_EQ(agent_.shutdown_timeout, std::chrono::seconds(30));
  ASSERT_EQ(parse(agent + "--ephemeral --clean-up --shutdown-timeout 5s --stop-timeout 2m --tag a=b --tag c"), "");
  EXPECT_TRUE(agent_.ephemeral);
  EXPECT_TRUE(agent_.clean_up);
  EXPECT_EQ(agent_.shutdown_timeout, std::chrono::seconds(5));
  EXPECT_EQ(agent_.stop_timeout, std::chrono::minutes(2));
  EXPECT_THAT(agent_.tags, ElementsAre(Pair("a", "b"), Pair("c", "")));
  EXPECT_THAT(parse(agent + "--tag =b"), HasSubstr("expected KEY=VALUE, not '=b'"));
  EXPECT_NE(parse("up --ephemeral"), "");
}

TEST_F(DaemonArguments, InstancesComeFromThisMachineByDefault) {
  for (const std::string command : {"up", "server"}) {
    ASSERT_EQ(parse(command), "");
    EXPECT_EQ(server_.provider.kind, "local");
    EXPECT_EQ(server_.provider.pool_gpus, std::nullopt);
    EXPECT_EQ(server_.provider.pool_overcommit, std::nullopt);
    ASSERT_EQ(parse(command + " --pool-gpus fake:8xV100 --pool-cpus 16 --pool-memory 65536 --no-pool-overcommit "
                              "--pool-driver process --pool-stop-timeout 2h"),
              "");
    EXPECT_EQ(server_.provider.pool_stop_timeout, std::chrono::hours(2));
    EXPECT_EQ(server_.provider.pool_gpus, "fake:8xV100");
    EXPECT_EQ(server_.provider.pool_cpus, 16);
    EXPECT_EQ(server_.provider.pool_memory_mib, 65536);
    EXPECT_EQ(server_.provider.pool_overcommit, false);
    EXPECT_EQ(server_.provider.driver, "process");
  }
  ASSERT_EQ(parse("up --pool-overcommit"), "");
  EXPECT_EQ(server_.provider.pool_overcommit, true);
}

TEST_F(DaemonArguments, ProvidersHaveTheirOptions) {
  ASSERT_EQ(parse("server --provider command --provider-start 'a b' --provider-stop c --provider-status d "
                  "--provider-join http://server:4566 --provider-timeout 30s"),
            "");
  EXPECT_EQ(server_.provider.kind, "command");
  EXPECT_EQ(server_.provider.start, "a b");
  EXPECT_EQ(server_.provider.stop, "c");
  EXPECT_EQ(server_.provider.status, "d");
  EXPECT_EQ(server_.provider.join, "http://server:4566");
  EXPECT_EQ(server_.provider.timeout, std::chrono::seconds(30));
  ASSERT_EQ(parse("server --provider slurm --slurm-option=--partition=gpu --slurm-option=--time=60 "
                  "--slurm-agent /opt/stoker --slurm-gpus fake:4xT4"),
            "");
  EXPECT_THAT(server_.provider.slurm_options, ElementsAre("--partition=gpu", "--time=60"));
  EXPECT_EQ(server_.provider.slurm_agent, "/opt/stoker");
  EXPECT_EQ(server_.provider.slurm_gpus, "fake:4xT4");
  ASSERT_EQ(parse("server --instance-types /dev/null"), "");
  EXPECT_EQ(server_.provider.instance_types, "/dev/null");
  EXPECT_THAT(parse("server --provider azure"), HasSubstr("--provider"));
  EXPECT_THAT(parse("server --provider-join server"), HasSubstr("--provider-join"));
}

TEST_F(DaemonArguments, AttributesAreNamesWithOptionalValues) {
  const std::string agent = "agent --join http://s ";
  ASSERT_EQ(parse(agent + "--attribute rack=7 --attribute fast --attribute a=b=c"), "");
  EXPECT_THAT(agent_.attributes, ElementsAre(Pair("a", "b=c"), Pair("fast", ""), Pair("rack", "7")));
  EXPECT_THAT(parse(agent + "--attribute =7"), HasSubstr("expected NAME=VALUE, not '=7'"));
}

TEST_F(DaemonArguments, InvalidAgentValuesAreRejectedWithTheOption) {
  const std::string agent = "agent --join http://s ";
  EXPECT_THAT(parse(agent + "--driver podman"), HasSubstr("--driver"));
  EXPECT_THAT(parse(agent + "--cpu 0"), HasSubstr("--cpu"));
  EXPECT_THAT(parse(agent + "--memory -1"), HasSubstr("--memory"));
  EXPECT_THAT(parse(agent + "--reserved-memory -1"), HasSubstr("--reserved-memory"));
  EXPECT_THAT(parse(agent + "--keep-stopped 3"), HasSubstr("invalid duration '3'"));
  EXPECT_THAT(parse(agent + "--ca /no/such/file"), HasSubstr("--ca"));
}

TEST(DefaultData, IsTheEnvironmentsFolderOrOneInTheHome) {
  const char* const home = std::getenv("HOME");
  const std::string home_before = home ? home : "/";
  ::setenv("HOME", "/home/me", 1);
  ::setenv("STOKER_DATA", "/srv/stoker", 1);
  EXPECT_EQ(default_data(), "/srv/stoker");
  ::unsetenv("STOKER_DATA");
  EXPECT_EQ(default_data(), "/home/me/.stoker");
  ::unsetenv("HOME");
  EXPECT_EQ(default_data(), "./.stoker");
  ::setenv("HOME", home_before.c_str(), 1);
}

}  // namespace
}  // namespace cli
