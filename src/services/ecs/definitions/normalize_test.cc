// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/definitions/capabilities.h"
#include "services/ecs/ecs_fixture.h"
#include "services/ecs/definitions/task_size.h"

namespace services::ecs {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Normalize = EcsTest;

std::vector<std::string> attributes(const TaskDefinition& definition) {
  std::vector<std::string> names;
  if (!definition.requiresAttributes) return names;
  for (const Attribute& attribute : *definition.requiresAttributes) names.push_back(attribute.name);
  return names;
}

TEST(TaskSize, ASizeIsANumberWithOrWithoutAUnit) {
  EXPECT_EQ(parse_cpu("256"), 256);
  EXPECT_EQ(parse_cpu("1 vCPU"), 1024);
  EXPECT_EQ(parse_cpu(".25 vcpu"), 256);
  EXPECT_EQ(parse_cpu("2vCPU"), 2048);
  EXPECT_EQ(parse_memory("2GB"), 2048);
  EXPECT_EQ(parse_memory("0.5 gb"), 512);
  EXPECT_EQ(parse_memory("512"), 512);
  for (std::string_view text : {"", "x", "1 GB x", "vCPU", "-1", "0", "1.5", "1e3", "nan", "1 GiB"}) {
    EXPECT_EQ(parse_cpu(text), std::nullopt) << text;
    EXPECT_EQ(parse_memory(text), std::nullopt) << text;
  }
}

TEST(TaskSize, FargateHasOnlySomeSizes) {
  for (auto [cpu, memory] : {std::pair{256, 512}, {256, 2048}, {1024, 3072}, {8192, 20480}, {16384, 122880}}) {
    EXPECT_TRUE(fargate_has(cpu, memory)) << cpu << " " << memory;
  }
  for (auto [cpu, memory] : {std::pair{256, 1536}, {256, 4096}, {300, 512}, {8192, 17408}, {1024, 1024}}) {
    EXPECT_FALSE(fargate_has(cpu, memory)) << cpu << " " << memory;
  }
}

TEST_F(Normalize, SizesOfTasksBecomeNumbers) {
  auto made = register_json(with_container("", R"("cpu":"1 vCPU","memory":"2GB")"));
  EXPECT_EQ(made.cpu, "1024");
  EXPECT_EQ(made.memory, "2048");
}

TEST_F(Normalize, PortsHaveAProtocolAndAHostPort) {
  auto ports = [&](const std::string& task) {
    return *register_json(with_container(R"("portMappings":[{"containerPort":80}])", task))
                .containerDefinitions->at(0)
                .portMappings;
  };
  EXPECT_EQ(to_json(ports(R"("networkMode":"bridge")").at(0)), R"({"containerPort":80,"hostPort":0,"protocol":"tcp"})");
  EXPECT_EQ(ports(R"("networkMode":"host")").at(0).hostPort, 80);
  EXPECT_EQ(ports(R"("networkMode":"awsvpc")").at(0).hostPort, 80);
}

TEST_F(Normalize, HealthChecksVolumesAndEssentialHaveTheirDefaults) {
  auto made = register_json(with_container(R"("healthCheck":{"command":["CMD-SHELL","true"]})",
                                           R"("volumes":[{"name":"a"},{"name":"b","dockerVolumeConfiguration":{}}])"));
  const ContainerDefinition& container = made.containerDefinitions->at(0);
  EXPECT_EQ(to_json(*container.healthCheck),
            R"({"command":["CMD-SHELL","true"],"interval":30,"timeout":5,"retries":3})");
  EXPECT_TRUE(*container.essential);
  EXPECT_EQ(container.cpu, 0);
  EXPECT_EQ(to_json(made.volumes->at(0)), R"({"name":"a","host":{}})");
  EXPECT_EQ(to_json(made.volumes->at(1)),
            R"({"name":"b","dockerVolumeConfiguration":{"scope":"task","driver":"local"}})");
}

TEST_F(Normalize, EverySupportedMemberIsShown) {
  const std::string members =
      R"("memoryReservation":8,"entryPoint":["sh"],"command":["-c","true"],"environment":[{"name":"A","value":"1"}],)"
      R"("mountPoints":[{"sourceVolume":"v","containerPath":"/v","readOnly":true}],"user":"1:1",)"
      R"("workingDirectory":"/w",)"
      R"("linuxParameters":{"capabilities":{"add":["SYS_PTRACE"]},"initProcessEnabled":true,"sharedMemorySize":64,)"
      R"("tmpfs":[{"containerPath":"/t","size":8,"mountOptions":["noexec"]}]},"startTimeout":30,"stopTimeout":10,)"
      R"("hostname":"h","privileged":true,"readonlyRootFilesystem":true,"dnsServers":["1.1.1.1"],)"
      R"("extraHosts":[{"hostname":"x","ipAddress":"10.0.0.1"}],"dockerSecurityOptions":["no-new-privileges"],)"
      R"("interactive":true,"pseudoTerminal":true,"dockerLabels":{"a":"b"},)"
      R"("ulimits":[{"name":"nofile","softLimit":1024,"hardLimit":2048}],)"
      R"("logConfiguration":{"logDriver":"json-file","options":{"max-size":"1m"}},)"
      R"("systemControls":[{"namespace":"net.core.somaxconn","value":"1024"}],)"
      R"("resourceRequirements":[{"value":"2","type":"GPU"}],)"
      R"("restartPolicy":{"enabled":true,"ignoredExitCodes":[0],"restartAttemptPeriod":60})";
  const std::string json = with_container(
      members, R"("volumes":[{"name":"v","host":{"sourcePath":"/srv"}}],"pidMode":"host","ipcMode":"none",)"
               R"("taskRoleArn":"arn:aws:iam::111111111111:role/r","placementConstraints":[{"type":"memberOf",)"
               R"("expression":"attribute:ecs.os-type == linux"}],"requiresCompatibilities":["EC2"],)"
               R"("runtimePlatform":{"cpuArchitecture":"X86_64","operatingSystemFamily":"LINUX"})");
  auto request = from_json<RegisterTaskDefinitionRequest>(json);
  auto made = register_json(json);
  ContainerDefinition expected = request.containerDefinitions.at(0);
  expected.cpu = 0;
  expected.essential = true;
  expected.portMappings.emplace();
  expected.volumesFrom.emplace();
  EXPECT_EQ(to_json(made.containerDefinitions->at(0)), to_json(expected));
  EXPECT_EQ(made.volumes, request.volumes);
  EXPECT_EQ(made.pidMode, "host");
  EXPECT_EQ(made.ipcMode, "none");
  EXPECT_EQ(made.taskRoleArn, request.taskRoleArn);
  EXPECT_EQ(made.placementConstraints, request.placementConstraints);
  EXPECT_EQ(made.requiresCompatibilities, request.requiresCompatibilities);
  EXPECT_EQ(made.runtimePlatform, request.runtimePlatform);
}

TEST_F(Normalize, CompatibilitiesFollowFromNetworkModeAndSize) {
  auto fits = [&](const std::string& task) { return *register_json(with_container("", task)).compatibilities; };
  EXPECT_THAT(fits(""), ElementsAre("EXTERNAL", "EC2"));
  EXPECT_THAT(fits(R"("networkMode":"awsvpc")"), ElementsAre("EC2"));
  EXPECT_THAT(fits(R"("networkMode":"awsvpc","cpu":"256","memory":"512")"),
              ElementsAre("EC2", "MANAGED_INSTANCES", "FARGATE"));
}

TEST_F(Normalize, RequiredAttributesAreThoseThatAmazonShows) {
  EXPECT_THAT(attributes(register_json(with_container(""))), IsEmpty());
  const std::string task = R"("networkMode":"awsvpc","executionRoleArn":"r","taskRoleArn":"t")";
  const std::string members =
      R"("logConfiguration":{"logDriver":"awslogs","options":{"awslogs-region":"r","awslogs-group":"g"}},)"
      R"("healthCheck":{"command":["CMD","true"],"startPeriod":10})";
  EXPECT_THAT(attributes(register_json(with_container(members, task))),
              UnorderedElementsAre(
                  "com.amazonaws.ecs.capability.logging-driver.awslogs", "ecs.capability.execution-role-awslogs",
                  "com.amazonaws.ecs.capability.docker-remote-api.1.19", "com.amazonaws.ecs.capability.task-iam-role",
                  "ecs.capability.container-health-check", "com.amazonaws.ecs.capability.docker-remote-api.1.18",
                  "ecs.capability.task-eni", "com.amazonaws.ecs.capability.docker-remote-api.1.29"));
  auto front = register_json(R"({"family":"f","containerDefinitions":[{"name":"c","memoryReservation":16,
      "image":"354793276020.dkr.ecr.us-east-1.amazonaws.com/front"}]})");
  EXPECT_THAT(attributes(front), UnorderedElementsAre("com.amazonaws.ecs.capability.ecr-auth",
                                                      "com.amazonaws.ecs.capability.docker-remote-api.1.21"));
  auto volume = register_json(with_container(
      "", R"("volumes":[{"name":"d","dockerVolumeConfiguration":{"scope":"shared","autoprovision":true}}])"));
  EXPECT_THAT(attributes(volume), UnorderedElementsAre("ecs.capability.docker-plugin.local",
                                                       "com.amazonaws.ecs.capability.docker-remote-api.1.25"));
}

}  // namespace
}  // namespace services::ecs
