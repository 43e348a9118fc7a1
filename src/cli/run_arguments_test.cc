// SPDX-License-Identifier: Apache-2.0
#include "cli/run_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/log_stream.h"

namespace cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Run, TheFamilyDerivesFromTheImageName) {
  EXPECT_EQ(family_of_image("nvcr.io/nvidia/pytorch:24.01-py3"), "run-pytorch");
  EXPECT_EQ(family_of_image("localhost:5000/ocr"), "run-ocr");
  EXPECT_EQ(family_of_image("repo/name@sha256:0123"), "run-name");
  EXPECT_EQ(family_of_image("my.image"), "run-my-image");
  EXPECT_EQ(family_of_image("process"), "run-process");
}

TEST(Run, TheDefinitionHasTheOptionsOfDockerRun) {
  RunArguments arguments{.image = "ocr"};
  arguments.volumes = {"/a:/x", "/b:/y:ro", "cache:/c", "cache:/d"};
  arguments.ports = {"8080:80"};
  arguments.shm_size = "1g";
  arguments.working_directory = "/w";
  arguments.user = "1000:1000";
  arguments.environment = {"A=1", "B=2", "A=3"};
  const auto definition = definition_of(arguments);
  ASSERT_TRUE(definition) << definition.error();
  ASSERT_EQ(definition->volumes->size(), 3U);
  const auto& container = definition->containerDefinitions.at(0);
  EXPECT_EQ(container.mountPoints->size(), 4U);
  EXPECT_EQ(container.mountPoints->at(1).sourceVolume, "v1");
  EXPECT_EQ(container.portMappings->at(0).hostPort, 8080);
  EXPECT_EQ(container.linuxParameters->sharedMemorySize, 1024);
  EXPECT_EQ(container.workingDirectory, "/w");
  EXPECT_EQ(container.user, "1000:1000");
  ASSERT_EQ(container.environment->size(), 2U);
  EXPECT_EQ(container.environment->at(0).value, "3");
  arguments.shm_size = "much";
  EXPECT_THAT(definition_of(arguments).error(), HasSubstr("--shm-size"));
}

TEST(Run, TheDefinitionHasAllArguments) {
  ::setenv("STOKER_RUN_TEST", "from here", 1);
  RunArguments arguments{.image = "ocr", .gpus = "2", .cpu_units = 1024, .memory = "2000"};
  arguments.environment = {"A=1=2", "STOKER_RUN_TEST", "EMPTY="};
  arguments.entry_point = {"/bin/sh", "-c"};
  arguments.command = {"echo hello"};
  const auto definition = definition_of(arguments);
  ASSERT_TRUE(definition);
  EXPECT_EQ(definition->family, "run-ocr");
  const auto& container = definition->containerDefinitions.at(0);
  EXPECT_EQ(container.name, "main");
  EXPECT_EQ(container.cpu, 1024);
  EXPECT_EQ(container.memory, 2000);
  EXPECT_FALSE(container.memoryReservation);
  EXPECT_THAT(*container.entryPoint, ElementsAre("/bin/sh", "-c"));
  EXPECT_THAT(*container.command, ElementsAre("echo hello"));
  ASSERT_EQ(container.environment->size(), 3u);
  EXPECT_EQ(container.environment->at(0).value, "1=2");
  EXPECT_EQ(container.environment->at(1).value, "from here");
  EXPECT_EQ(container.environment->at(2).value, "");
  EXPECT_EQ(container.resourceRequirements->at(0).value, "2");
}

TEST(Run, WithoutAMemoryLimitMemoryIsReserved) {
  const auto definition = definition_of({.image = "ocr"});
  EXPECT_EQ(definition->containerDefinitions.at(0).memoryReservation, kRunMemoryMiB);
  EXPECT_FALSE(definition->containerDefinitions.at(0).memory);
  EXPECT_FALSE(definition->containerDefinitions.at(0).resourceRequirements);
}

TEST(Run, GpusAreWholeOrShared) {
  EXPECT_EQ(definition_of({.image = "x", .gpus = "all"})->containerDefinitions[0].resourceRequirements->at(0).value,
            "ALL");
  EXPECT_FALSE(definition_of({.image = "x", .gpus = "0"})->containerDefinitions[0].resourceRequirements);
  const auto shared = definition_of({.image = "x", .gpu_memory_mib = 6000, .gpu_compute_percent = 30});
  const auto& mps = *shared->containerDefinitions[0].resourceRequirements->at(0).sharingStrategy->nvidiaMps;
  EXPECT_EQ(mps.memory, 6000);
  EXPECT_EQ(mps.maxComputePercent, 30);
}

TEST(Run, InvalidArgumentsAreRejected) {
  EXPECT_THAT(definition_of({.image = "x", .gpus = "two"}).error(), HasSubstr("a number, or all"));
  EXPECT_THAT(definition_of({.image = "x", .gpus = "1", .gpu_memory_mib = 1}).error(),
              HasSubstr("use only one of them"));
  EXPECT_THAT(definition_of({.image = "x", .gpu_compute_percent = 5}).error(), HasSubstr("needs --gpu-memory"));
  EXPECT_THAT(definition_of({.image = "x", .environment = {"=v"}}).error(), HasSubstr("has no name"));
  EXPECT_THAT(definition_of({.image = "x", .environment = {"STOKER_NOT_SET"}}).error(), HasSubstr("no such variable"));
}

TEST(Run, TheSameArgumentsHaveTheSameTag) {
  auto tag = [](const RunArguments& arguments) { return definition_of(arguments)->tags->at(0).value; };
  const RunArguments one{.image = "x", .gpus = "1"};
  EXPECT_EQ(tag(one), tag(one));
  EXPECT_NE(tag(one), tag({.image = "x", .gpus = "2"}));
  EXPECT_NE(tag(one), tag({.image = "x", .gpus = "1", .command = {"a"}}));
  EXPECT_EQ(definition_of(one)->tags->at(0).key, kRunTag);
}

TEST(Logs, TheRequestTargetHasAllArguments) {
  EXPECT_EQ(log_target({"default", "abc", "web server", true, 20}),
            "/stoker/logs?cluster=default&task=abc&container=web%20server&follow=true&tail=20");
  EXPECT_EQ(log_target({"c", "t", std::nullopt, false, std::nullopt}), "/stoker/logs?cluster=c&task=t");
}

}  // namespace
}  // namespace cli
