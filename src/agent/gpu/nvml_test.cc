// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/nvml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/log.h"

namespace agent::gpu {
namespace {

using testing::HasSubstr;

struct Device {
  std::string uuid;
  int code = kNvmlSuccess;  // its result for everything but its name and id
  std::vector<unsigned long long> xids;
};

// A driver with a few GPUs, as seen through the library.
class NvmlTest : public testing::Test {
 protected:
  NvmlTest() { base::set_log_level(base::LogLevel::Off); }
  ~NvmlTest() override { base::set_log_level(base::LogLevel::Info); }

  static int copy_text(const std::string& text, char* out, unsigned int size) {
    std::strncpy(out, text.c_str(), size - 1);
    return kNvmlSuccess;
  }
  static Device& device(NvmlDevice handle) { return *static_cast<Device*>(handle); }

  NvmlApi api() {
    NvmlApi api;
    api.init = [this] { return init_code_ ? init_code_ : (++starts_, kNvmlSuccess); };
    api.shut_down = [this] { return ++stops_, kNvmlSuccess; };
    api.error_string = [](int code) { return code == kNvmlGpuIsLost ? "GPU is lost" : "Driver Not Loaded"; };
    api.driver_version = [](char* out, unsigned int size) { return copy_text("535.54.03", out, size); };
    api.count = [this](unsigned int* count) { return *count = devices_.size(), count_code_; };
    api.handle_by_index = [this](unsigned int i, NvmlDevice* out) { return *out = &devices_[i], kNvmlSuccess; };
    api.uuid = [](NvmlDevice d, char* out, unsigned int size) { return copy_text(device(d).uuid, out, size); };
    api.name = [](NvmlDevice, char* out, unsigned int size) { return copy_text("NVIDIA H200", out, size); };
    api.memory = [](NvmlDevice d, NvmlMemory* out) {
      *out = {4096ULL << 20, 3072ULL << 20, 1024ULL << 20};
      return device(d).code;
    };
    api.utilization = [](NvmlDevice, NvmlUtilization* out) { return *out = {70, 30}, kNvmlSuccess; };
    api.temperature = [](NvmlDevice, int, unsigned int* out) { return *out = 55, kNvmlSuccess; };
    api.power_milliwatts = [](NvmlDevice, unsigned int*) { return kNvmlNotSupported; };
    api.create_event_set = [this](NvmlEventSet* set) { return *set = &devices_, kNvmlSuccess; };
    api.free_event_set = [](NvmlEventSet) { return kNvmlSuccess; };
    api.register_events = [](NvmlDevice, unsigned long long, NvmlEventSet) { return kNvmlSuccess; };
    api.wait_for_event = [this](NvmlEventSet, NvmlEvent* event, unsigned int) { return next_event(event); };
    return api;
  }
  int next_event(NvmlEvent* event) {
    for (Device& device : devices_) {
      if (device.xids.empty()) continue;
      *event = {&device, kNvmlXidCritical, device.xids.back(), 0, 0};
      device.xids.pop_back();
      return kNvmlSuccess;
    }
    return kNvmlTimeout;
  }

  std::vector<Device> devices_ = {{"GPU-b"}, {"GPU-a"}};
  bool installed_ = true;
  int init_code_ = 0, count_code_ = 0;
  int starts_ = 0, stops_ = 0;
  NvmlSource source_{[this] { return installed_ ? std::optional(api()) : std::nullopt; }};
};

TEST_F(NvmlTest, MemoryReservedByTheDriverDoesNotCountAsUsed) {
  devices_ = {{.uuid = "GPU-1"}};
  unsigned int version = 0;
  auto with_v2 = [&] {
    NvmlApi both = api();
    both.memory_v2 = [&](NvmlDevice, NvmlMemory2* out) {
      version = out->version;
      *out = {out->version, 4096ULL << 20, 615ULL << 20, 3481ULL << 20, 0};
      return kNvmlSuccess;
    };
    return std::optional(both);
  };
  NvmlSource source(with_v2);
  source.probe();
  auto samples = source.sample();
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples[0].memory_used_mib, 0);
  EXPECT_EQ(samples[0].memory_total_mib, 4096);
  EXPECT_EQ(version, 0x2000028u);
}

TEST_F(NvmlTest, GpusComeInTheDriversOrder) {
  std::vector<Gpu> gpus = source_.probe();
  ASSERT_EQ(gpus.size(), 2u);
  EXPECT_EQ(gpus[0], (Gpu{.id = "GPU-b", .index = 0, .model = "NVIDIA H200", .memory_mib = 4096}));
  EXPECT_EQ(gpus[1].id, "GPU-a");
  EXPECT_EQ(source_.driver(), "NVIDIA 535.54.03");
  EXPECT_EQ(starts_, 1);
}

TEST_F(NvmlTest, ASampleHasTheValuesOfTheDriver) {
  source_.probe();
  std::vector<GpuSample> samples = source_.sample();
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].id, "GPU-b");
  EXPECT_EQ(samples[0].utilization_percent, 70);
  EXPECT_EQ(samples[0].memory_utilization_percent, 30);
  EXPECT_EQ(samples[0].memory_used_mib, 1024);
  EXPECT_EQ(samples[0].memory_total_mib, 4096);
  EXPECT_EQ(samples[0].temperature_celsius, 55);
  EXPECT_EQ(samples[0].power_watts, std::nullopt);
}

TEST_F(NvmlTest, DetailsHaveTheValuesOfTheDriverAndLackWhatItDoesNotSupport) {
  devices_ = {{.uuid = "GPU-1", .xids = {31}}};
  auto with_details = [&] {
    NvmlApi api = this->api();
    api.pci = [](NvmlDevice, NvmlPci* out) { return std::strcpy(out->bus_id, "00000000:1E:00.0"), kNvmlSuccess; };
    api.clock_mhz = [](NvmlDevice, int type, unsigned int* out) {
      return *out = type == kNvmlClockSm ? 1980 : 2619, kNvmlSuccess;
    };
    api.energy_millijoules = [](NvmlDevice, unsigned long long* out) { return *out = 5000000000, kNvmlSuccess; };
    api.encoder = [](NvmlDevice, unsigned int* percent, unsigned int*) { return *percent = 3, kNvmlSuccess; };
    api.decoder = [](NvmlDevice, unsigned int*, unsigned int*) { return kNvmlNotSupported; };
    api.fields = [](NvmlDevice, int count, NvmlField* out) {
      EXPECT_EQ(count, 1);
      EXPECT_EQ(out->field, kNvmlMemoryTemperature);
      out->type = kNvmlUnsignedInt;
      out->value = 48;
      return kNvmlSuccess;
    };
    return std::optional(api);
  };
  NvmlSource source(with_details);
  source.probe();
  EXPECT_EQ(source.probe()[0].pci_bus_id, "00000000:1E:00.0");
  EXPECT_EQ(source.sample()[0].sm_clock_mhz, 1980);
  EXPECT_EQ(source.sample()[0].xid, 31);
  const std::vector<GpuDetails> details = source.details();
  ASSERT_EQ(details.size(), 1u);
  EXPECT_EQ(details[0].memory_clock_mhz, 2619);
  EXPECT_EQ(details[0].memory_celsius, 48);
  EXPECT_EQ(details[0].energy_millijoules, 5000000000);
  EXPECT_EQ(details[0].encoder_percent, 3);
  EXPECT_EQ(details[0].decoder_percent, std::nullopt);
  EXPECT_EQ(details[0].pcie_replays, std::nullopt);
  EXPECT_EQ(details[0].memory_reserved_mib, std::nullopt);
}

TEST_F(NvmlTest, ALibraryInstalledLaterIsFound) {
  installed_ = false;
  EXPECT_TRUE(source_.probe().empty());
  EXPECT_TRUE(source_.sample().empty());
  EXPECT_EQ(source_.driver(), "");
  installed_ = true;
  init_code_ = kNvmlDriverNotLoaded;
  EXPECT_TRUE(source_.probe().empty());
  init_code_ = 0;
  EXPECT_EQ(source_.probe().size(), 2u);
}

TEST_F(NvmlTest, ALostGpuIsKeptAsUnhealthyAndNvmlIsRestarted) {
  source_.probe();
  devices_[1].code = kNvmlGpuIsLost;
  std::vector<Gpu> gpus = source_.probe();
  ASSERT_EQ(gpus.size(), 2u);
  EXPECT_TRUE(gpus[0].healthy);
  EXPECT_FALSE(gpus[1].healthy);
  EXPECT_EQ(gpus[1].trouble, "GPU is lost");
  EXPECT_EQ(gpus[1].memory_mib, 4096);
  EXPECT_EQ(starts_, 2);
  EXPECT_EQ(stops_, 1);
  EXPECT_EQ(source_.sample().size(), 1u);
  devices_[1].code = kNvmlSuccess;
  EXPECT_TRUE(source_.probe()[1].healthy);
}

TEST_F(NvmlTest, AGpuThatIsNoLongerListedIsKeptAsUnhealthy) {
  source_.probe();
  devices_.pop_back();
  std::vector<Gpu> gpus = source_.probe();
  ASSERT_EQ(gpus.size(), 2u);
  EXPECT_FALSE(gpus[1].healthy);
  EXPECT_THAT(gpus[1].trouble, HasSubstr("no longer lists it"));
}

TEST_F(NvmlTest, AllGpusAreUnhealthyWhileTheDriverIsUnloaded) {
  source_.probe();
  count_code_ = init_code_ = kNvmlDriverNotLoaded;
  for (const Gpu& gpu : source_.probe()) {
    EXPECT_FALSE(gpu.healthy);
    EXPECT_THAT(gpu.trouble, HasSubstr("Driver Not Loaded"));
  }
  count_code_ = init_code_ = 0;
  for (const Gpu& gpu : source_.probe()) EXPECT_TRUE(gpu.healthy);
}

TEST_F(NvmlTest, AFatalErrorMakesAGpuUnhealthyAndAnApplicationErrorDoesNot) {
  source_.probe();
  devices_[0].xids = {31};
  devices_[1].xids = {79, 13};
  std::vector<Gpu> gpus = source_.probe();
  EXPECT_TRUE(gpus[0].healthy);
  EXPECT_FALSE(gpus[1].healthy);
  EXPECT_THAT(gpus[1].trouble, HasSubstr("Xid 79"));
}

TEST_F(NvmlTest, TheDescriptionHasTheDriverTheGpusAndTheirErrors) {
  source_.probe();
  devices_[1].code = kNvmlGpuIsLost;
  std::string text = describe(source_);
  EXPECT_THAT(text, HasSubstr("driver: NVIDIA 535.54.03\n"));
  EXPECT_THAT(text, HasSubstr("GPU 0: NVIDIA H200, 4096 MiB, GPU-b, 70 % busy, 1024 MiB used, 55 C\n"));
  EXPECT_THAT(text, HasSubstr("NOT HEALTHY: GPU is lost"));
}

}  // namespace
}  // namespace agent::gpu
