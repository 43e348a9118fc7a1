// SPDX-License-Identifier: Apache-2.0
#include "agent/metrics/dcgm_page.h"

#include <gtest/gtest.h>

#include "agent/metrics/metrics_endpoint.h"
#include "agent/tasks/test_machine.h"
#include "base/log.h"
#include "http/raw_client.h"

namespace agent {
namespace {

PageGpu full_gpu() {
  PageGpu page;
  page.gpu = {.id = "GPU-4cf4", .index = 1, .model = "Tesla T4", .memory_mib = 15360, .pci_bus_id = "00000000:00:1E.0"};
  page.sample = {.id = "GPU-4cf4",
                 .utilization_percent = 87,
                 .memory_utilization_percent = 41,
                 .memory_used_mib = 2048,
                 .memory_total_mib = 15360,
                 .temperature_celsius = 61,
                 .power_watts = 68.253,
                 .sm_clock_mhz = 1590,
                 .xid = 0};
  page.details = {.id = "GPU-4cf4",
                  .memory_clock_mhz = 5000,
                  .memory_celsius = 66,
                  .encoder_percent = 3,
                  .decoder_percent = 4,
                  .energy_millijoules = 9000000000,
                  .pcie_replays = 2,
                  .memory_free_mib = 12880,
                  .memory_reserved_mib = 432,
                  .remapped_rows = gpu::GpuDetails::RemappedRows{.uncorrectable = 1, .correctable = 2, .failed = true}};
  return page;
}

const std::string kLabels =
    R"(gpu="1",UUID="GPU-4cf4",pci_bus_id="00000000:00:1E.0",device="nvidia1",modelName="Tesla T4",Hostname="box-a",)"
    R"(DCGM_FI_DRIVER_VERSION="535.54.03")";

// A field of the page: its HELP, its TYPE and one sample.
std::string field(const std::string& name, const std::string& type, const std::string& help, const std::string& value,
                  const std::string& more_labels = "") {
  const std::string full = "DCGM_FI_DEV_" + name;
  return "# HELP " + full + " " + help + "\n# TYPE " + full + " " + type + "\n" + full + "{" + kLabels + more_labels +
         "} " + value + "\n";
}

TEST(DcgmPage, EveryLineIsAsDcgmExporterPrintsIt) {
  EXPECT_EQ(dcgm_page({full_gpu()}, "box-a", "535.54.03"),
            field("SM_CLOCK", "gauge", "SM clock frequency (in MHz).", "1590") +
                field("MEM_CLOCK", "gauge", "Memory clock frequency (in MHz).", "5000") +
                field("MEMORY_TEMP", "gauge", "Memory temperature (in C).", "66") +
                field("GPU_TEMP", "gauge", "GPU temperature (in C).", "61") +
                field("POWER_USAGE", "gauge", "Power draw (in W).", "68.253000") +
                field("TOTAL_ENERGY_CONSUMPTION", "counter", "Total energy consumption since boot (in mJ).",
                      "9000000000") +
                field("PCIE_REPLAY_COUNTER", "counter", "Total number of PCIe retries.", "2") +
                field("GPU_UTIL", "gauge", "GPU utilization (in %).", "87") +
                field("MEM_COPY_UTIL", "gauge", "Memory utilization (in %).", "41") +
                field("ENC_UTIL", "gauge", "Encoder utilization (in %).", "3") +
                field("DEC_UTIL", "gauge", "Decoder utilization (in %).", "4") +
                field("XID_ERRORS", "gauge", "Value of the last XID error encountered.", "0",
                      R"(,err_code="0",err_msg="No Error")") +
                field("FB_FREE", "gauge", "Framebuffer memory free (in MiB).", "12880") +
                field("FB_USED", "gauge", "Framebuffer memory used (in MiB).", "2048") +
                field("FB_RESERVED", "gauge", "Framebuffer memory reserved (in MiB).", "432") +
                field("UNCORRECTABLE_REMAPPED_ROWS", "counter", "Number of remapped rows for uncorrectable errors",
                      "1") +
                field("CORRECTABLE_REMAPPED_ROWS", "counter", "Number of remapped rows for correctable errors", "2") +
                field("ROW_REMAP_FAILURE", "gauge", "Whether remapping of rows has failed", "1"));
}

TEST(DcgmPage, ValuesThatAGpuLacksAreLeftOut) {
  PageGpu bare;
  bare.gpu = full_gpu().gpu;
  bare.sample = {.id = "GPU-4cf4", .memory_used_mib = 1, .memory_total_mib = 10};
  EXPECT_EQ(dcgm_page({bare}, "box-a", "535.54.03"),
            field("GPU_UTIL", "gauge", "GPU utilization (in %).", "0") +
                field("MEM_COPY_UTIL", "gauge", "Memory utilization (in %).", "0") +
                field("FB_FREE", "gauge", "Framebuffer memory free (in MiB).", "9") +
                field("FB_USED", "gauge", "Framebuffer memory used (in MiB).", "1"));
}

TEST(DcgmPage, AGpuInUseHasALineForEachContainerWithItsClusterAndTask) {
  PageGpu shared = full_gpu();
  shared.sample.xid = 79;
  shared.users = {{"train", "default", "3f2a"}, {"infer", "default", "77b0"}};
  const std::string page = dcgm_page({shared}, "box-a", "535.54.03");
  const std::string start = "\nDCGM_FI_DEV_GPU_UTIL{" + kLabels;
  EXPECT_NE(page.find(start + R"(,container="train",namespace="default",pod="3f2a"} 87)" + start +
                      R"(,container="infer",namespace="default",pod="77b0"} 87)"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find(R"(,container="train",err_code="79",err_msg="GPU has fallen off the bus",namespace="default",)"
                      R"(pod="3f2a"} 79)"),
            std::string::npos)
      << page;
}

TEST(DcgmPage, LabelValuesAreEscaped) {
  PageGpu odd = full_gpu();
  odd.gpu.model = "a\"b\\c\nd";
  EXPECT_NE(dcgm_page({odd}, "box-a", "").find(R"(modelName="a\"b\\c d")"), std::string::npos);
}

class CountedGpu final : public gpu::GpuSource {
 public:
  std::string driver() const override { return "NVIDIA 535.54.03"; }
  bool simulated() const override { return false; }
  std::vector<gpu::Gpu> probe() override { return {}; }
  std::vector<gpu::GpuSample> sample() override {
    return {{.id = "GPU-a", .utilization_percent = ++reads_, .memory_total_mib = 16000}};
  }

  int reads_ = 0;
};

class MetricsEndpointTest : public MachineTest {
 protected:
  MetricsEndpointTest() { base::set_log_level(base::LogLevel::Off); }
  ~MetricsEndpointTest() override { base::set_log_level(base::LogLevel::Info); }

  std::string get(const std::string& path) { return endpoint_.answer({"GET", path, {}}).body; }
  MetricsSettings settings(unsigned short port) { return {"127.0.0.1", port, "box-a", folder_.path + "/metrics_url"}; }

  CountedGpu gpus_;
  MetricsEndpoint endpoint_{*machine_, gpus_, settings(0)};
};

TEST_F(MetricsEndpointTest, GpusAreReadWhenThePageIsRequestedAndAtMostOnceASecond) {
  EXPECT_EQ(gpus_.reads_, 0);
  const std::string first = get("/metrics");
  EXPECT_NE(first.find("} 1\n"), std::string::npos) << first;
  clock_.advance(std::chrono::milliseconds(999));
  EXPECT_EQ(get("/metrics"), first);
  EXPECT_EQ(gpus_.reads_, 1);
  clock_.advance(std::chrono::milliseconds(1));
  EXPECT_NE(get("/metrics"), first);
  EXPECT_EQ(gpus_.reads_, 2);
}

TEST_F(MetricsEndpointTest, TheLabelsNameTheContainerThatHoldsTheGpu) {
  machine_->ledger.grant(test_task("t1", {}).arn, {{.gpu = "GPU-a", .container = "main"}});
  EXPECT_NE(get("/metrics").find(R"(DCGM_FI_DRIVER_VERSION="535.54.03",container="main",namespace="default",pod="t1"})"),
            std::string::npos)
      << get("/metrics");
}

TEST_F(MetricsEndpointTest, OtherPathsAndMethodsAreRejected) {
  EXPECT_EQ(endpoint_.answer({"GET", "/health", {}}).status, 200);
  EXPECT_EQ(endpoint_.answer({"GET", "/metrics/x", {}}).status, 404);
  EXPECT_EQ(endpoint_.answer({"POST", "/metrics", {}}).status, 405);
}

TEST_F(MetricsEndpointTest, APortInUseLeavesTheAgentWithoutThePage) {
  http::IoThreads io(1);
  endpoint_.listen(io);
  ASSERT_NE(endpoint_.port(), 0);
  MetricsEndpoint second(*machine_, gpus_, settings(endpoint_.port()));
  second.listen(io);
  EXPECT_EQ(second.port(), 0);
  http::RawClient client(endpoint_.port());
  client.send("GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(client.read_to_end().starts_with("HTTP/1.1 200 OK\r\n"));
  endpoint_.stop();
}

}  // namespace
}  // namespace agent
