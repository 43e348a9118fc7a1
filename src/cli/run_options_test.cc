// SPDX-License-Identifier: Apache-2.0
#include "cli/run_options.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(RunOptions, AVolumeIsAPathOfTheMachineOrOfItsEngine) {
  const auto path = parse_volume("/data/set:/data:ro", 0);
  ASSERT_TRUE(path);
  EXPECT_EQ(path->volume.name, "v0");
  EXPECT_EQ(path->volume.host->sourcePath, "/data/set");
  EXPECT_EQ(path->mount.containerPath, "/data");
  EXPECT_EQ(path->mount.readOnly, true);
  const auto named = parse_volume("cache:/root/.cache", 1);
  ASSERT_TRUE(named);
  EXPECT_EQ(named->volume.name, "cache");
  EXPECT_EQ(named->volume.dockerVolumeConfiguration->scope, "shared");
  EXPECT_FALSE(named->mount.readOnly);
  for (const char* invalid : {"", "/data", ":/x", "./here:/x", "../x:/x", "/a:b", "/a:/b:rx", "/a:/b:ro:z", "a b:/x"}) {
    EXPECT_FALSE(parse_volume(invalid, 0)) << invalid;
  }
  EXPECT_THAT(parse_volume("./here:/x", 0).error(), HasSubstr("path of the machine"));
}

TEST(RunOptions, APortHasAHostPortAndAProtocol) {
  EXPECT_EQ(*parse_port("80"), (shapes::ecs::PortMapping{.containerPort = 80}));
  EXPECT_EQ(*parse_port("8080:80"), (shapes::ecs::PortMapping{.containerPort = 80, .hostPort = 8080}));
  EXPECT_EQ(*parse_port("53:53/udp"), (shapes::ecs::PortMapping{.containerPort = 53, .hostPort = 53, .protocol = "udp"}));
  for (const char* invalid : {"", "x", "0", "65536", "80:", ":80", "1-5", "80/sctp", "127.0.0.1:80:80", "-1"}) {
    EXPECT_FALSE(parse_port(invalid)) << invalid;
  }
}

TEST(RunOptions, TheSizeOfSharedMemoryIsRoundedUpToMiB) {
  EXPECT_EQ(*parse_shm_size("64m"), 64);
  EXPECT_EQ(*parse_shm_size("2G"), 2048);
  EXPECT_EQ(*parse_shm_size("2gb"), 2048);
  EXPECT_EQ(*parse_shm_size("1k"), 1);
  EXPECT_EQ(*parse_shm_size("1048577"), 2);
  for (const char* invalid : {"", "0", "m", "b", "1x", "-1", "1.5g", "99999999999999999999g", "9999999g"}) {
    EXPECT_FALSE(parse_shm_size(invalid)) << invalid;
  }
}

TEST(RunOptions, MemoryIsANumberOfMiBOrASize) {
  EXPECT_EQ(*parse_memory("512"), 512);
  EXPECT_EQ(*parse_memory("512m"), 512);
  EXPECT_EQ(*parse_memory("4g"), 4096);
  EXPECT_EQ(*parse_memory("4GB"), 4096);
  EXPECT_EQ(*parse_memory("5000000b"), 5);
  for (const char* invalid : {"", "x", "0", "3", "1k", "4t", "-4g", "1.5g", "99999999g"}) {
    EXPECT_FALSE(parse_memory(invalid)) << invalid;
  }
}

TEST(RunOptions, CoresBecomeCpuUnits) {
  EXPECT_EQ(*parse_cores("2"), 2048);
  EXPECT_EQ(*parse_cores("0.5"), 512);
  EXPECT_EQ(*parse_cores("1.5"), 1536);
  for (const char* invalid : {"", "x", "0", "-1", "2c", "1e9", "99999999", "nan", "inf", "0.0001"}) {
    EXPECT_FALSE(parse_cores(invalid)) << invalid;
  }
}

TEST(RunOptions, AnEnvironmentFileHasLinesOfVariables) {
  ::setenv("STOKER_RUN_TEST", "from here", 1);
  const std::string path = testing::TempDir() + "run_options_env";
  std::ofstream(path) << "# comment\nA=1\r\n\n  B=\"quoted\"\nSTOKER_RUN_TEST\nSTOKER_RUN_UNSET\nEMPTY=\n";
  EXPECT_THAT(*read_env_file(path), ElementsAre("A=1", "B=\"quoted\"", "STOKER_RUN_TEST=from here", "EMPTY="));
  std::ofstream(path) << "A=1\n=2\n";
  EXPECT_THAT(read_env_file(path).error(), HasSubstr("line 2"));
  std::ofstream(path) << "A B=1\n";
  EXPECT_FALSE(read_env_file(path));
  std::filesystem::remove(path);
  EXPECT_FALSE(read_env_file(path));
}

}  // namespace
}  // namespace cli
