// SPDX-License-Identifier: Apache-2.0
#include "agent/metrics/dcgm_page.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>

namespace agent {
namespace {

using Text = std::optional<std::string>;

// As dcgm-exporter prints them: integers as %d, doubles as %f.
template <class Integer>
Text whole(const std::optional<Integer>& value) {
  return value ? Text(std::to_string(*value)) : Text();
}
Text real(const std::optional<double>& value) { return value ? Text(fmt::format("{:f}", *value)) : Text(); }

std::optional<std::int64_t> free_mib(const PageGpu& gpu) {
  if (gpu.details.memory_free_mib) return gpu.details.memory_free_mib;
  return gpu.sample.memory_total_mib - gpu.sample.memory_used_mib;
}

template <class Member>
Text rows(const PageGpu& gpu, Member member) {
  const auto& remapped = gpu.details.remapped_rows;
  return remapped ? Text(std::to_string(static_cast<std::int64_t>((*remapped).*member))) : Text();
}

struct Field {
  std::string_view name;  // without DCGM_FI_DEV_
  std::string_view type, help;
  Text (*value)(const PageGpu&);
};

// In the order of dcgm-exporter's default counters.
constexpr std::array<Field, 18> kFields = {{
    {"SM_CLOCK", "gauge", "SM clock frequency (in MHz).", [](const PageGpu& g) { return whole(g.sample.sm_clock_mhz); }},
    {"MEM_CLOCK", "gauge", "Memory clock frequency (in MHz).",
     [](const PageGpu& g) { return whole(g.details.memory_clock_mhz); }},
    {"MEMORY_TEMP", "gauge", "Memory temperature (in C).",
     [](const PageGpu& g) { return whole(g.details.memory_celsius); }},
    {"GPU_TEMP", "gauge", "GPU temperature (in C).",
     [](const PageGpu& g) { return whole(g.sample.temperature_celsius); }},
    {"POWER_USAGE", "gauge", "Power draw (in W).", [](const PageGpu& g) { return real(g.sample.power_watts); }},
    {"TOTAL_ENERGY_CONSUMPTION", "counter", "Total energy consumption since boot (in mJ).",
     [](const PageGpu& g) { return whole(g.details.energy_millijoules); }},
    {"PCIE_REPLAY_COUNTER", "counter", "Total number of PCIe retries.",
     [](const PageGpu& g) { return whole(g.details.pcie_replays); }},
    {"GPU_UTIL", "gauge", "GPU utilization (in %).",
     [](const PageGpu& g) { return whole(std::optional(g.sample.utilization_percent)); }},
    {"MEM_COPY_UTIL", "gauge", "Memory utilization (in %).",
     [](const PageGpu& g) { return whole(std::optional(g.sample.memory_utilization_percent)); }},
    {"ENC_UTIL", "gauge", "Encoder utilization (in %).",
     [](const PageGpu& g) { return whole(g.details.encoder_percent); }},
    {"DEC_UTIL", "gauge", "Decoder utilization (in %).",
     [](const PageGpu& g) { return whole(g.details.decoder_percent); }},
    {"XID_ERRORS", "gauge", "Value of the last XID error encountered.",
     [](const PageGpu& g) { return whole(g.sample.xid); }},
    {"FB_FREE", "gauge", "Framebuffer memory free (in MiB).", [](const PageGpu& g) { return whole(free_mib(g)); }},
    {"FB_USED", "gauge", "Framebuffer memory used (in MiB).",
     [](const PageGpu& g) { return whole(std::optional(g.sample.memory_used_mib)); }},
    {"FB_RESERVED", "gauge", "Framebuffer memory reserved (in MiB).",
     [](const PageGpu& g) { return whole(g.details.memory_reserved_mib); }},
    {"UNCORRECTABLE_REMAPPED_ROWS", "counter", "Number of remapped rows for uncorrectable errors",
     [](const PageGpu& g) { return rows(g, &gpu::GpuDetails::RemappedRows::uncorrectable); }},
    {"CORRECTABLE_REMAPPED_ROWS", "counter", "Number of remapped rows for correctable errors",
     [](const PageGpu& g) { return rows(g, &gpu::GpuDetails::RemappedRows::correctable); }},
    {"ROW_REMAP_FAILURE", "gauge", "Whether remapping of rows has failed",
     [](const PageGpu& g) { return rows(g, &gpu::GpuDetails::RemappedRows::failed); }},
}};

struct Xid {
  std::int64_t code;
  std::string_view text;
};

// The errors that are seen most, with the names of NVIDIA's Xid catalogue.
constexpr std::array<Xid, 12> kXids = {{{0, "No Error"},
                                        {13, "Graphics Engine Exception"},
                                        {31, "GPU memory page fault"},
                                        {43, "GPU stopped processing"},
                                        {48, "Double Bit ECC Error"},
                                        {62, "Internal micro-controller halt"},
                                        {64, "ECC page retirement or row remapper recording failure"},
                                        {74, "NVLINK Error"},
                                        {79, "GPU has fallen off the bus"},
                                        {94, "Contained ECC error"},
                                        {95, "Uncontained ECC error"},
                                        {119, "GSP RPC Timeout"}}};

std::string_view xid_text(std::int64_t code) {
  for (const Xid& xid : kXids) {
    if (xid.code == code) return xid.text;
  }
  return "Unknown Error";
}

std::string escaped(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string gpu_labels(const PageGpu& page, const std::string& host_name, const std::string& driver) {
  return fmt::format(
      R"(gpu="{0}",UUID="{1}",pci_bus_id="{2}",device="nvidia{0}",modelName="{3}",Hostname="{4}",DCGM_FI_DRIVER_VERSION="{5}")",
      page.gpu.index, escaped(page.gpu.id), escaped(page.gpu.pci_bus_id), escaped(page.gpu.model), escaped(host_name),
      escaped(driver));
}

// Sorted by name, as dcgm-exporter has them.
std::string user_labels(const GpuUser* user, const std::string& error_labels) {
  if (!user) return error_labels;
  return fmt::format(R"(,container="{}"{},namespace="{}",pod="{}")", escaped(user->container), error_labels,
                     escaped(user->cluster), escaped(user->task_id));
}

}  // namespace

std::string dcgm_page(const std::vector<PageGpu>& gpus, const std::string& host_name, const std::string& driver) {
  std::vector<std::string> labels;
  for (const PageGpu& gpu : gpus) labels.push_back(gpu_labels(gpu, host_name, driver));
  std::string page;
  for (const Field& field : kFields) {
    std::string samples;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      const Text value = field.value(gpus[i]);
      if (!value) continue;
      std::string error;
      if (field.name == "XID_ERRORS") {
        error = fmt::format(R"(,err_code="{}",err_msg="{}")", *value, xid_text(*gpus[i].sample.xid));
      }
      auto add_line = [&](const GpuUser* user) {
        samples += fmt::format("DCGM_FI_DEV_{}{{{}{}}} {}\n", field.name, labels[i], user_labels(user, error), *value);
      };
      for (const GpuUser& user : gpus[i].users) add_line(&user);
      if (gpus[i].users.empty()) add_line(nullptr);
    }
    if (samples.empty()) continue;
    page += fmt::format("# HELP DCGM_FI_DEV_{0} {1}\n# TYPE DCGM_FI_DEV_{0} {2}\n", field.name, field.help, field.type);
    page += samples;
  }
  return page;
}

}  // namespace agent
