// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "agent/gpu/fake_gpus.h"
#include "base/random.h"

namespace agent::gpu {
namespace {

using testing::HasSubstr;

struct Ran {
  std::string out;
  int code = 0;
};

// Runs under each common container shell that this machine has.
class SmiTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (run_shell(std::string(GetParam()) + " -c true").code != 0) GTEST_SKIP() << "no " << GetParam() << " here";
    source_ = std::move(*open_fake_gpus("2xV100,1xT4", "box-a", folder_, clock_));
    for (const Gpu& gpu : source_->probe()) ids_.push_back(gpu.id);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static Ran run_shell(const std::string& command) {
    std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    Ran ran;
    char buffer[4096];
    while (std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) ran.out.append(buffer, got);
    ran.code = WEXITSTATUS(::pclose(pipe));
    return ran;
  }
  // With an empty PATH: the script must not call other programs.
  Ran smi(const std::string& arguments, const std::string& environment = "-u NVIDIA_VISIBLE_DEVICES") {
    return run_shell("env " + environment + " PATH=/nowhere " + GetParam() + " \"" + source_->tools()->nvidia_smi +
                     "\" " + arguments);
  }

  // Paths may contain quotes.
  std::filesystem::path folder_ = testing::TempDir() + "smi's " + base::random_uuid();
  base::FakeClock clock_{base::from_seconds(1000)};
  std::unique_ptr<GpuSource> source_;
  std::vector<std::string> ids_;
};

TEST_P(SmiTest, ListsTheGpus) {
  Ran ran = smi("-L");
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "GPU 0: Tesla V100-SXM2-16GB (UUID: " + ids_[0] + ")\nGPU 1: Tesla V100-SXM2-16GB (UUID: " +
                         ids_[1] + ")\nGPU 2: Tesla T4 (UUID: " + ids_[2] + ")\n");
}

TEST_P(SmiTest, QueriesReturnCsv) {
  std::ofstream(folder_ / "gpus.json") << R"({"2": {"utilization": 50, "memory_used_mib": 360}})";
  clock_.advance(std::chrono::seconds(1));
  source_->sample();
  std::string query =
      "--query-gpu=index,name,memory.total,memory.used,memory.free,utilization.gpu,utilization.memory,"
      "temperature.gpu,power.draw,driver_version,count ";
  EXPECT_EQ(smi(query + "--format=csv -i 2").out,
            "index, name, memory.total [MiB], memory.used [MiB], memory.free [MiB], utilization.gpu [%], "
            "utilization.memory [%], temperature.gpu, power.draw [W], driver_version, count\n"
            "2, Tesla T4, 15360 MiB, 360 MiB, 15000 MiB, 50 %, 0 %, 52, 39.50 W, simulated, 3\n");
  EXPECT_EQ(smi("--query-gpu=uuid,memory.used --format=csv,noheader,nounits").out,
            ids_[0] + ", 0\n" + ids_[1] + ", 0\n" + ids_[2] + ", 360\n");
}

TEST_P(SmiTest, AContainerSeesItsOwnGpusNumberedFromZero) {
  std::string query = "--query-gpu=index,uuid,count --format=csv,noheader";
  EXPECT_EQ(smi(query, "NVIDIA_VISIBLE_DEVICES=" + ids_[2] + "," + ids_[1]).out,
            "0, " + ids_[1] + ", 2\n1, " + ids_[2] + ", 2\n");
  EXPECT_EQ(smi(query, "NVIDIA_VISIBLE_DEVICES=2").out, "0, " + ids_[2] + ", 1\n");
  EXPECT_EQ(smi(query + " -i 0", "NVIDIA_VISIBLE_DEVICES=2").out, "0, " + ids_[2] + ", 1\n");
  EXPECT_EQ(smi(query + " --id=" + ids_[1], "NVIDIA_VISIBLE_DEVICES=all").out, "1, " + ids_[1] + ", 3\n");
}

TEST_P(SmiTest, WithoutVisibleGpusItReportsNoDevices) {
  for (const char* none : {"void", "none", "", "GPU-other"}) {
    Ran ran = smi("-L", "NVIDIA_VISIBLE_DEVICES=" + std::string(none));
    EXPECT_EQ(ran.out, "No devices were found\n");
    EXPECT_EQ(ran.code, 6);
  }
  EXPECT_EQ(smi("-i 7").code, 6);
}

TEST_P(SmiTest, ShowsATableAndHelp) {
  Ran table = smi("");
  EXPECT_EQ(table.code, 0);
  EXPECT_THAT(table.out, HasSubstr("NVIDIA-SMI"));
  EXPECT_THAT(table.out, HasSubstr("0MiB / 15360MiB"));
  EXPECT_THAT(smi("--help").out, HasSubstr("--query-gpu="));
}

TEST_P(SmiTest, AnInvalidArgumentExitsWithTwo) {
  for (const char* bad : {"--frobnicate", "-q", "--query-gpu=index", "--query-gpu=wings --format=csv",
                          "--query-gpu=index --format=xml", "-i"}) {
    Ran ran = smi(bad);
    EXPECT_EQ(ran.code, 2) << bad;
    EXPECT_NE(ran.out, "") << bad;
  }
  EXPECT_EQ(smi("--query-gpu=wings --format=csv").out, "Field \"wings\" is not a valid field to query.\n");
}

TEST_P(SmiTest, DataIsWrittenAtMostOncePerSecond) {
  std::string query = "-i 0 --query-gpu=utilization.gpu --format=csv,noheader,nounits";
  clock_.advance(std::chrono::seconds(1));
  std::ofstream(folder_ / "gpus.json") << R"({"0": {"utilization": 1}})";
  source_->sample();
  EXPECT_EQ(smi(query).out, "1\n");
  std::ofstream(folder_ / "gpus.json") << R"({"0": {"utilization": 2}})";
  source_->sample();
  EXPECT_EQ(smi(query).out, "1\n");
  clock_.advance(std::chrono::seconds(1));
  source_->sample();
  EXPECT_EQ(smi(query).out, "2\n");
}

INSTANTIATE_TEST_SUITE_P(Shells, SmiTest, testing::Values("/bin/dash", "/usr/bin/busybox sh", "/bin/bash"),
                         [](const auto& shell) {
                           std::string name = shell.param;
                           return name.substr(name.rfind('/') + 1, name.find(' ') - name.rfind('/') - 1);
                         });

}  // namespace
}  // namespace agent::gpu
