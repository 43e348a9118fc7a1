// SPDX-License-Identifier: Apache-2.0
// The create request. A machine without GPUs can test no more of them than this.
#include "agent/drivers/docker_create.h"

#include <gmock/gmock.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "agent/drivers/docker_abilities.h"
#include "agent/drivers/docker_api.h"
#include "agent/drivers/docker_ports.h"
#include "agent/drivers/docker_state.h"

namespace agent::drivers {
namespace {

using testing::Contains;
using testing::Not;

class DockerCreate : public testing::Test {
 protected:
  DockerCreate() {
    spec_.task.arn = "arn:aws:ecs:us-east-1:000000000000:task/blue/0123";
    spec_.task.taskClusterArn = "arn:aws:ecs:us-east-1:000000000000:cluster/blue";
    spec_.task.family = "train";
    spec_.task.version = "3";
    spec_.container.name = "main";
    spec_.container.image = "image";
    options_.agent_name = "box-a";
    facts_.api_minor = 41;
    facts_.cpus = 8;
  }

  boost::json::value body() {
    auto made = create_body(spec_, parts_, options_, facts_);
    EXPECT_TRUE(made) << made.error();
    return made ? boost::json::value(*made) : boost::json::value();
  }
  std::vector<std::string> list(std::initializer_list<std::string_view> path) {
    const boost::json::value made = body();
    const boost::json::value* found = find(made, path);
    std::vector<std::string> texts;
    if (!found || !found->is_array()) return texts;
    for (const auto& entry : found->get_array()) texts.emplace_back(entry.get_string());
    return texts;
  }
  std::string json_of(std::initializer_list<std::string_view> path) {
    const boost::json::value made = body();
    const boost::json::value* found = find(made, path);
    return found ? boost::json::serialize(*found) : "";
  }
  void assign_gpus(int gpus) {
    for (int i = 0; i < gpus; ++i) spec_.gpus.push_back({.id = "GPU-" + std::to_string(i), .index = i});
  }

  ContainerSpec spec_;
  TaskParts parts_;
  DockerOptions options_;
  EngineFacts facts_;
};

TEST_F(DockerCreate, AContainerWithoutGpusSeesNoneEvenIfItsEnvironmentRequestsAll) {
  spec_.container.environment["NVIDIA_VISIBLE_DEVICES"] = "all";
  EXPECT_THAT(list({"Env"}), Contains("NVIDIA_VISIBLE_DEVICES=void"));
  EXPECT_EQ(json_of({"HostConfig", "DeviceRequests"}), "");
}

TEST_F(DockerCreate, AContainerSeesExactlyItsGpus) {
  assign_gpus(2);
  EXPECT_THAT(list({"Env"}), Contains("NVIDIA_VISIBLE_DEVICES=GPU-0,GPU-1"));
  EXPECT_EQ(json_of({"HostConfig", "DeviceRequests"}),
            R"([{"Driver":"nvidia","Capabilities":[["gpu"]],"DeviceIDs":["GPU-0","GPU-1"]}])");
  facts_.nvidia_runtime = true;
  EXPECT_EQ(json_of({"HostConfig", "Runtime"}), "");
  facts_.api_minor = 39;
  EXPECT_EQ(json_of({"HostConfig", "Runtime"}), R"("nvidia")");
  EXPECT_EQ(json_of({"HostConfig", "DeviceRequests"}), "");
}

TEST_F(DockerCreate, AllGpusAreVisibleWhenAllowed) {
  spec_.all_gpus = true;
  EXPECT_THAT(list({"Env"}), Contains("NVIDIA_VISIBLE_DEVICES=all"));
  EXPECT_EQ(json_of({"HostConfig", "DeviceRequests"}), "");  // no nvidia runtime
  facts_.nvidia_runtime = true;
  EXPECT_EQ(json_of({"HostConfig", "DeviceRequests"}), R"([{"Driver":"nvidia","Capabilities":[["gpu"]],"Count":-1}])");
}

TEST_F(DockerCreate, SimulatedGpusAreNotRequestedFromTheEngine) {
  assign_gpus(1);
  options_.simulated_gpus = true;
  options_.nvidia_smi_path = "/agent/bin/nvidia-smi";
  options_.nvidia_smi_folder = "/agent/gpus";
  EXPECT_THAT(list({"Env"}), Contains("NVIDIA_VISIBLE_DEVICES=GPU-0"));
  EXPECT_EQ(json_of({"HostConfig", "DeviceRequests"}), "");
  EXPECT_THAT(list({"HostConfig", "Binds"}),
              testing::ElementsAre("/agent/bin/nvidia-smi:/usr/bin/nvidia-smi:ro", "/agent/gpus:/agent/gpus:ro"));
}

TEST_F(DockerCreate, AGpuShareSetsTheMpsVariables) {
  assign_gpus(2);
  options_.mps_pipe_folder = "/run/mps";
  spec_.shares = {{.container = "main", .gpuId = "GPU-1", .memoryInMiB = 2048, .maxComputePercent = 25},
                  {.container = "other", .gpuId = "GPU-0", .memoryInMiB = 1}};
  const auto environment = list({"Env"});
  EXPECT_THAT(environment, Contains("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=1=2048M"));
  EXPECT_THAT(environment, Contains("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=25"));
  EXPECT_THAT(environment, Contains("CUDA_MPS_PIPE_DIRECTORY=/run/mps"));
  EXPECT_THAT(list({"HostConfig", "Binds"}), Contains("/run/mps:/run/mps"));
  EXPECT_EQ(json_of({"HostConfig", "IpcMode"}), R"("host")");
}

TEST_F(DockerCreate, AContainerWithTheWorkersLabelGetsTheWorker) {
  spec_.container.dockerConfig.config = R"({"Labels":{"stoker.worker":"1"}})";
  options_.programs = {.stoker = "/usr/bin/stoker", .worker = "/usr/bin/stoker-work", .machine = "box-a"};
  EXPECT_THAT(list({"HostConfig", "Binds"}), Contains("/usr/bin/stoker-work:/stoker/stoker-work:ro"));
  EXPECT_THAT(list({"Env"}), Contains("STOKER_MACHINE=box-a"));
  options_.programs.worker = "";
  auto body = create_body(spec_, parts_, options_, facts_);
  ASSERT_FALSE(body);
  EXPECT_EQ(body.error(),
            "the container has the label stoker.worker, and this machine has no stoker-work beside /usr/bin/stoker");
}

TEST_F(DockerCreate, AContainerWithoutTheLabelGetsNoWorker) {
  spec_.container.dockerConfig.config = R"({"Labels":{"mine":"stoker.worker"}})";
  options_.programs = {.stoker = "/usr/bin/stoker", .worker = "/usr/bin/stoker-work"};
  EXPECT_THAT(list({"HostConfig", "Binds"}), testing::IsEmpty());
}

TEST_F(DockerCreate, TaskLimitsApplyWhereTheContainerHasNone) {
  EXPECT_EQ(json_of({"HostConfig", "CpuShares"}), "2");
  EXPECT_EQ(json_of({"HostConfig", "Memory"}), "");
  spec_.task.memory = 64;
  spec_.task.cpu = 16;
  EXPECT_EQ(json_of({"HostConfig", "Memory"}), std::to_string(64 << 20));
  EXPECT_EQ(json_of({"HostConfig", "NanoCpus"}), "8000000000");  // all that the machine has
  spec_.container.memory = 32;
  spec_.container.cpu = 512;
  EXPECT_EQ(json_of({"HostConfig", "Memory"}), std::to_string(32 << 20));
  EXPECT_EQ(json_of({"HostConfig", "CpuShares"}), "512");
}

TEST_F(DockerCreate, DockerConfigOfTheServerIsKept) {
  spec_.container.dockerConfig.config = R"({"User":"nobody","Labels":{"mine":"1"}})";
  spec_.container.dockerConfig.hostConfig = R"({"ShmSize":5,"LogConfig":{"Type":"syslog"}})";
  EXPECT_EQ(json_of({"User"}), R"("nobody")");
  EXPECT_EQ(json_of({"HostConfig", "ShmSize"}), "5");
  EXPECT_EQ(json_of({"HostConfig", "LogConfig"}), R"({"Type":"syslog"})");
  EXPECT_EQ(json_of({"Labels", "mine"}), R"("1")");
  EXPECT_EQ(json_of({"Labels", kClusterLabel}), R"("blue")");
  EXPECT_EQ(json_of({"Labels", kTaskLabel}), "\"" + spec_.task.arn + "\"");
  EXPECT_EQ(json_of({"Labels", kAgentLabel}), R"("box-a")");
  EXPECT_THAT(container_name(spec_), testing::MatchesRegex("ecs-train-3-main-[0-9a-f]{20}"));
  spec_.container.dockerConfig.config = "[]";
  EXPECT_FALSE(create_body(spec_, parts_, options_, facts_));
}

TEST_F(DockerCreate, TheEngineNeitherRestartsNorRemovesContainers) {
  spec_.container.dockerConfig.hostConfig = R"({"RestartPolicy": {"Name": "always"}, "AutoRemove": true})";
  EXPECT_EQ(json_of({"HostConfig", "RestartPolicy"}), "");
  EXPECT_EQ(json_of({"HostConfig", "AutoRemove"}), "");
}

TEST_F(DockerCreate, UnsafeCharactersInNamesAreReplaced) {
  spec_.task.family = "a b\r\nHost: x&y/..";
  EXPECT_EQ(container_name(spec_).find_first_of(" \r\n&/.:"), std::string::npos);
}

TEST_F(DockerCreate, InASharedNetworkAContainerHasNoHostsOrPortsOfItsOwn) {
  spec_.task.networkMode = "awsvpc";
  spec_.container.portMappings = {{.containerPort = 80, .hostPort = 80}};
  spec_.container.dockerConfig.hostConfig =
      R"({"ExtraHosts":["a:1.2.3.4"],"Sysctls":{"net.core.somaxconn":"9","kernel.msgmax":"1"}})";
  parts_.holder = "holder";
  EXPECT_EQ(json_of({"HostConfig", "NetworkMode"}), R"("container:holder")");
  EXPECT_EQ(json_of({"HostConfig", "PortBindings"}), "");
  EXPECT_EQ(json_of({"HostConfig", "ExtraHosts"}), "");
  EXPECT_EQ(json_of({"HostConfig", "Sysctls"}), R"({"kernel.msgmax":"1"})");
}

TEST_F(DockerCreate, PortsAreExposedAndBound) {
  spec_.container.portMappings = {{.containerPort = 80, .hostPort = 8080},
                                  {.containerPort = 53, .hostPort = 0, .protocol = "udp"}};
  EXPECT_EQ(json_of({"ExposedPorts"}), R"({"80/tcp":{},"53/udp":{}})");
  EXPECT_EQ(json_of({"HostConfig", "PortBindings"}), R"({"80/tcp":[{"HostPort":"8080"}],"53/udp":[{"HostPort":""}]})");
}

TEST_F(DockerCreate, APortRangeHasOneOrMorePorts) {
  spec_.container.portMappings = {{.containerPortRange = "9000-9001"}};
  EXPECT_EQ(json_of({"ExposedPorts"}), R"({"9000/tcp":{},"9001/tcp":{}})");
  spec_.container.portMappings = {{.containerPortRange = "9000-9000"}};
  EXPECT_EQ(json_of({"ExposedPorts"}), R"({"9000/tcp":{}})");
  for (const char* range : {"", "9000", "9001-9000", "0-5", "1-65536", "a-b", "1-2x", "-"}) {
    spec_.container.portMappings = {{.containerPortRange = range}};
    const auto made = create_body(spec_, parts_, options_, facts_);
    ASSERT_FALSE(made) << range;
    EXPECT_EQ(made.error(), "invalid containerPortRange '" + std::string(range) + "'");
  }
}

TEST(DockerPorts, BindingsAreReadFromAnInspectedContainer) {
  const auto bound = bindings_of(boost::json::parse(R"({"NetworkSettings":{"Ports":{
      "80/tcp":[{"HostIp":"","HostPort":"32768"}],"53/udp":[{"HostIp":"127.0.0.1","HostPort":"5353"}],"9/tcp":null}}})"));
  ASSERT_EQ(bound.size(), 2u);
  EXPECT_EQ(bound[0].bind_ip, "0.0.0.0");
  EXPECT_EQ(bound[0].container_port, 80);
  EXPECT_EQ(bound[0].host_port, 32768);
  EXPECT_EQ(bound[1].bind_ip, "127.0.0.1");
  EXPECT_EQ(bound[1].protocol, "udp");
}

TEST(DockerPorts, InHostModeTheContainerPortIsTheHostPort) {
  const auto bound = bindings_of(
      boost::json::parse(R"({"HostConfig":{"NetworkMode":"host","PortBindings":{"80/tcp":[{"HostPort":""}]}}})"));
  ASSERT_EQ(bound.size(), 1u);
  EXPECT_EQ(bound[0].host_port, 80);
}

TEST(DockerState, AnExitIsReadFromAnInspectedContainer) {
  const auto exited = exit_of(boost::json::parse(R"({"State":{"Status":"exited","ExitCode":137,"OOMKilled":true,
      "StartedAt":"2026-11-15T21:00:00Z","FinishedAt":"2026-11-15T21:00:05Z"}})"));
  ASSERT_TRUE(exited);
  EXPECT_EQ(exited->code, 137);
  EXPECT_TRUE(exited->out_of_memory);
  EXPECT_FALSE(exit_of(boost::json::parse(R"({"State":{"Status":"running"}})")));
  EXPECT_FALSE(exit_of(boost::json::parse(R"({"State":{"Status":"created"}})")));
  const auto failed =
      exit_of(boost::json::parse(R"({"State":{"Status":"created","ExitCode":127,"Error":"no such file"}})"));
  ASSERT_TRUE(failed) << "a container that could not be started stays created";
  EXPECT_EQ(failed->error, "no such file");
}

TEST(DockerState, HoldersAreNotListedAsContainers) {
  const auto found = found_in(boost::json::parse(R"([
      {"Id":"1","State":"running","Labels":{"com.amazonaws.ecs.task-arn":"t","com.amazonaws.ecs.container-name":"main"}},
      {"Id":"2","State":"running","Labels":{"com.amazonaws.ecs.container-name":"~internal~ecs~pause"}},
      {"Id":"3","State":"exited","Labels":{}}])"));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].task_arn, "t");
  EXPECT_EQ(found[0].container, "main");
  EXPECT_EQ(found[0].phase, Phase::Running);
  EXPECT_EQ(found[1].phase, Phase::Exited);
}

TEST(DockerState, UsageIsTheDifferenceOfTwoSamplesWithoutFileCache) {
  const auto stats = boost::json::parse(R"({"read":"2026-11-15T21:00:02Z","preread":"2026-11-15T21:00:00Z",
      "cpu_stats":{"cpu_usage":{"total_usage":3000000000}},"precpu_stats":{"cpu_usage":{"total_usage":2000000000}},
      "memory_stats":{"usage":1000,"stats":{"inactive_file":400}}})");
  EXPECT_DOUBLE_EQ(cpu_percent(cpu_sample_before(stats), cpu_sample(stats)), 50);
  EXPECT_EQ(cpu_percent({}, cpu_sample(stats)), 0) << "there is no earlier sample";
  EXPECT_EQ(memory_bytes(stats), 600);
}

TEST(DockerAbilities, AttributesFollowTheVersionAndInfoOfTheEngine) {
  const auto version = boost::json::parse(R"({"Version":"5.0","ApiVersion":"1.19","Arch":"riscv64"})");
  const auto info = boost::json::parse(R"({"SecurityOptions":["name=seccomp","name=apparmor"],
      "Plugins":{"Log":["json-file","awslogs"],"Volume":["local","nfs"]}})");
  const Abilities abilities = abilities_of(version, info);
  const std::string docker = "com.amazonaws.ecs.capability.";
  for (std::string name :
       {"docker-remote-api.1.19", "apparmor", "logging-driver.awslogs", "logging-driver.json-file"}) {
    EXPECT_THAT(abilities.attributes, Contains(docker + name).Times(1)) << name;
  }
  EXPECT_THAT(abilities.attributes, Contains("ecs.capability.docker-plugin.nfs"));
  for (std::string name :
       {docker + "docker-remote-api.1.20", docker + "selinux", std::string("ecs.capability.task-eni"),
        docker + "ecr-auth", std::string("ecs.capability.execution-role-ecr-pull")}) {
    EXPECT_THAT(abilities.attributes, Not(Contains(name))) << name;
  }
}

}  // namespace
}  // namespace agent::drivers
