// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/fake_gpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "agent/gpu/fake_script.h"
#include "base/log.h"
#include "base/random.h"

namespace agent::gpu {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class FakeGpusTest : public testing::Test {
 protected:
  FakeGpusTest() { base::set_log_level(base::LogLevel::Off); }
  ~FakeGpusTest() override {
    base::set_log_level(base::LogLevel::Info);
    std::filesystem::remove_all(folder_);
  }

  std::unique_ptr<GpuSource> open(const std::string& models, const std::string& machine = "box-a") {
    auto opened = open_fake_gpus(models, machine, folder_, clock_);
    EXPECT_TRUE(opened) << opened.error();
    return std::move(*opened);
  }
  void script(const std::string& text) { std::ofstream(folder_ / "gpus.json") << text; }

  std::filesystem::path folder_ = testing::TempDir() + "fake_gpus_" + base::random_uuid();
  base::FakeClock clock_{base::from_seconds(1000)};
};

TEST_F(FakeGpusTest, ModelsHaveTheirRealNamesAndMemory) {
  std::vector<Gpu> gpus = open("2xA100-80GB,1xt4,1xRTX 4090,1xV100")->probe();
  ASSERT_EQ(gpus.size(), 5u);
  EXPECT_EQ(gpus[1].model, "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(gpus[1].memory_mib, 81920);
  EXPECT_EQ(gpus[2].model, "Tesla T4");
  EXPECT_EQ(gpus[3].model, "NVIDIA GeForce RTX 4090");
  EXPECT_EQ(gpus[4].model, "Tesla V100-SXM2-16GB");
  EXPECT_EQ(gpus[4].memory_mib, 16384);
  EXPECT_EQ(gpus[4].index, 4);
}

TEST_F(FakeGpusTest, GpuIdsAreStableAndDifferBetweenMachines) {
  std::vector<Gpu> first = open("8xV100")->probe();
  EXPECT_EQ(first, open("8xV100")->probe());
  EXPECT_THAT(first[0].id, MatchesRegex("GPU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"));
  EXPECT_NE(first[0].id, first[1].id);
  EXPECT_NE(first[0].id, open("8xV100", "box-b")->probe()[0].id);
}

TEST_F(FakeGpusTest, InvalidModelsAreRejectedWithAListOfTheKnownOnes) {
  for (std::string text :
       {"8xV900", "8", "V100", "0xV100", "-1xV100", "65xV100", "60xV100,5xT4", "", "1xV100,", "1x"}) {
    auto rejected = open_gpus("fake:" + text, "box-a", folder_);
    ASSERT_FALSE(rejected) << text;
    EXPECT_THAT(rejected.error(), HasSubstr("V100-32GB")) << text;
  }
  EXPECT_THAT(open_gpus("all", "box-a", folder_).error(), HasSubstr("use auto, none"));
}

TEST_F(FakeGpusTest, TheSourceNoneHasNoGpus) {
  auto none = open_gpus("none", "box-a", folder_);
  ASSERT_TRUE(none);
  EXPECT_TRUE((*none)->probe().empty());
  EXPECT_FALSE((*none)->tools());
  EXPECT_EQ(describe(**none), "driver: none\nno GPUs\n");
}

TEST_F(FakeGpusTest, GpusAreIdleUntilTheFileSetsALoad) {
  auto gpus = open("2xV100");
  EXPECT_EQ(gpus->sample()[0].utilization_percent, 0);
  EXPECT_EQ(gpus->sample()[0].memory_used_mib, 0);
  script(R"({"0": {"utilization": 80, "memory_used_mib": 1000}, "1": {"healthy": false, "trouble": "too hot"}})");
  std::vector<GpuSample> samples = gpus->sample();
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples[0].utilization_percent, 80);
  EXPECT_EQ(samples[0].memory_used_mib, 1000);
  EXPECT_EQ(samples[0].memory_total_mib, 16384);
  Gpu second = gpus->probe()[1];
  EXPECT_FALSE(second.healthy);
  EXPECT_EQ(second.trouble, "too hot");
}

TEST_F(FakeGpusTest, TheFileSetsAllThatAlarmsWatch) {
  auto gpus = open("1xV100");
  EXPECT_EQ(gpus->sample()[0].xid, 0);
  EXPECT_EQ(gpus->sample()[0].sm_clock_mhz, 210);
  script(R"({"0": {"utilization": 50, "temperature": 91, "power_watts": 250.5, "sm_clock_mhz": 300, "xid": 79}})");
  const GpuSample sample = gpus->sample()[0];
  EXPECT_EQ(sample.temperature_celsius, 91);
  EXPECT_EQ(sample.power_watts, 250.5);
  EXPECT_EQ(sample.sm_clock_mhz, 300);
  EXPECT_EQ(sample.xid, 79);
}

TEST_F(FakeGpusTest, EnergyIsPowerOverTime) {
  auto gpus = open("1xV100");
  script(R"({"0": {"power_watts": 200, "memory_used_mib": 384}})");
  clock_.advance(std::chrono::seconds(10));
  const GpuDetails details = gpus->details()[0];
  EXPECT_EQ(details.energy_millijoules, 2000000);
  EXPECT_EQ(details.memory_free_mib, 16000);
  clock_.advance(std::chrono::seconds(1));
  EXPECT_EQ(gpus->details()[0].energy_millijoules, 2200000);
}

TEST_F(FakeGpusTest, StepsRepeat) {
  auto gpus = open("1xV100");
  script(R"({"0": [{"utilization": 90, "seconds": 20}, {"utilization": 10, "seconds": 10}]})");
  EXPECT_EQ(gpus->sample()[0].utilization_percent, 90);
  clock_.advance(std::chrono::seconds(20));
  EXPECT_EQ(gpus->sample()[0].utilization_percent, 10);
  clock_.advance(std::chrono::seconds(10));
  EXPECT_EQ(gpus->sample()[0].utilization_percent, 90);
}

TEST_F(FakeGpusTest, AnInvalidFileIsIgnored) {
  auto gpus = open("1xV100");
  script(R"({"0": {"utilization": 50}})");
  EXPECT_EQ(gpus->sample()[0].utilization_percent, 50);
  for (const char* bad : {"{", "[]", R"({"0": 5})", R"({"0": []})", R"({"0": {"utilization": 101}})",
                          R"({"0": {"utilisation": 1}})", R"({"0": [{"utilization": 1, "seconds": 0}]})"}) {
    EXPECT_FALSE(parse_fake_script(bad)) << bad;
    script(bad);
    EXPECT_EQ(gpus->sample()[0].utilization_percent, 50) << bad;
  }
}

}  // namespace
}  // namespace agent::gpu
