// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/fake_gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "agent/gpu/fake_models.h"
#include "agent/gpu/fake_script.h"
#include "agent/gpu/nvidia_smi.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/log.h"

namespace agent::gpu {
namespace {

namespace fs = std::filesystem;

constexpr base::Duration kMinWriteInterval{1000};
constexpr int kIdleClockMhz = 210, kFullClockMhz = 1410, kMemoryClockMhz = 1215;
constexpr int kMemoryHotterByCelsius = 5;

// Depends only on the machine's name and the index, so that a restarted agent has the same GPUs.
std::string stable_id(const std::string& machine_name, int index) {
  std::string hex = base::to_hex(base::sha256(machine_name + "/" + std::to_string(index)));
  return "GPU-" + hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-" + hex.substr(12, 4) + "-" + hex.substr(16, 4) + "-" +
         hex.substr(20, 12);
}

std::string fake_bus_id(int index) { return fmt::format("00000000:{:02X}:00.0", index + 1); }

class FakeGpus final : public GpuSource {
 public:
  FakeGpus(std::vector<FakeModel> models, const std::string& machine_name, const fs::path& folder,
           const base::Clock& clock)
      : models_(std::move(models)), tools_(smi_tools(folder)), script_(folder / "gpus.json"), clock_(clock) {
    for (int i = 0; i < static_cast<int>(models_.size()); ++i) ids_.push_back(stable_id(machine_name, i));
    energy_millijoules_.resize(models_.size());
    energy_at_ = clock.now();
  }

  std::string driver() const override { return "simulated"; }
  bool simulated() const override { return true; }
  std::vector<Gpu> probe() override;
  std::vector<GpuSample> sample() override;
  std::vector<GpuDetails> details() override;
  std::optional<GpuTools> tools() const override { return tools_; }

  base::Result<bool> install() {
    base::Result<bool> installed = install_smi(tools_);
    if (installed) write_data(all_samples(clock_.now()));
    return installed;
  }

 private:
  std::vector<GpuSample> all_samples(base::Time now);
  void write_data(const std::vector<GpuSample>& samples);

  std::vector<FakeModel> models_;
  std::vector<std::string> ids_;
  GpuTools tools_;
  FakeScript script_;
  const base::Clock& clock_;
  std::string written_;
  base::Time written_at_;
  bool write_failure_logged_ = false;
  std::vector<double> energy_millijoules_;  // of each GPU, until energy_at_
  base::Time energy_at_;
};

std::vector<Gpu> FakeGpus::probe() {
  base::Time now = clock_.now();
  script_.refresh(now);
  std::vector<Gpu> gpus;
  for (int i = 0; i < static_cast<int>(models_.size()); ++i) {
    FakeState state = script_.state(i, ids_[i], now);
    gpus.push_back({ids_[i], i, models_[i].name, models_[i].memory_mib, state.healthy, state.trouble,
                    fake_bus_id(i)});
  }
  return gpus;
}

// An unhealthy GPU has no sample, like a real one.
std::vector<GpuSample> FakeGpus::sample() {
  base::Time now = clock_.now();
  script_.refresh(now);
  std::vector<GpuSample> samples = all_samples(now);
  if (now - written_at_ >= kMinWriteInterval || now < written_at_) write_data(samples);
  return samples;
}

std::vector<GpuSample> FakeGpus::all_samples(base::Time now) {
  std::vector<GpuSample> samples;
  for (int i = 0; i < static_cast<int>(models_.size()); ++i) {
    const FakeModel& model = models_[i];
    FakeState state = script_.state(i, ids_[i], now);
    if (!state.healthy) continue;
    GpuSample& sample = samples.emplace_back();
    sample.id = ids_[i];
    sample.utilization_percent = state.utilization_percent;
    sample.memory_utilization_percent = state.memory_utilization_percent;
    sample.memory_used_mib = std::min(state.memory_used_mib, model.memory_mib);
    sample.memory_total_mib = model.memory_mib;
    // Temperature, power and clock follow the load, so that graphs look real.
    const int busy = state.utilization_percent;
    sample.temperature_celsius = state.temperature_celsius.value_or(30 + busy * 45 / 100);
    sample.power_watts =
        state.power_watts.value_or(model.idle_watts + (model.max_watts - model.idle_watts) * busy / 100.0);
    sample.sm_clock_mhz = state.sm_clock_mhz.value_or(kIdleClockMhz + (kFullClockMhz - kIdleClockMhz) * busy / 100);
    sample.xid = state.xid;
  }
  return samples;
}

// Energy is the power of each sample, for as long as it lasted until the next.
std::vector<GpuDetails> FakeGpus::details() {
  const base::Time now = clock_.now();
  script_.refresh(now);
  const auto elapsed_ms = static_cast<double>(std::max(now - energy_at_, base::Duration(0)).count());
  energy_at_ = now;
  std::vector<GpuDetails> all;
  for (const GpuSample& sample : all_samples(now)) {
    const auto i = static_cast<std::size_t>(std::ranges::find(ids_, sample.id) - ids_.begin());
    energy_millijoules_[i] += *sample.power_watts * elapsed_ms;
    GpuDetails& details = all.emplace_back();
    details.id = sample.id;
    details.memory_clock_mhz = kMemoryClockMhz;
    details.memory_celsius = *sample.temperature_celsius + kMemoryHotterByCelsius;
    details.encoder_percent = details.decoder_percent = 0;
    details.energy_millijoules = static_cast<std::int64_t>(energy_millijoules_[i]);
    details.pcie_replays = 0;
    details.memory_free_mib = sample.memory_total_mib - sample.memory_used_mib;
    details.memory_reserved_mib = 0;
    details.remapped_rows = GpuDetails::RemappedRows{};
  }
  return all;
}

void FakeGpus::write_data(const std::vector<GpuSample>& samples) {
  std::vector<SmiRow> rows;
  for (const GpuSample& sample : samples) {
    auto i = static_cast<std::size_t>(std::ranges::find(ids_, sample.id) - ids_.begin());
    rows.push_back({static_cast<int>(i), models_[i].name, models_[i].max_watts, sample});
  }
  std::string data = smi_data(rows);
  if (data == written_) return;
  written_at_ = clock_.now();
  base::Result<bool> done = replace_smi_data(tools_, data);
  if (done) written_ = std::move(data);
  if (!done && !write_failure_logged_) base::log_warn("nvidia-smi data was not written", {{"error", done.error()}});
  write_failure_logged_ = !done;
}

}  // namespace

base::Result<std::unique_ptr<GpuSource>> open_fake_gpus(const std::string& models, const std::string& machine_name,
                                                        const std::string& folder, const base::Clock& clock) {
  base::Result<std::vector<FakeModel>> parsed = fake_models(models);
  if (!parsed) return base::Error{parsed.error()};
  auto gpus = std::make_unique<FakeGpus>(std::move(*parsed), machine_name, fs::absolute(folder), clock);
  base::Result<bool> installed = gpus->install();
  if (!installed) return base::Error{installed.error()};
  return std::unique_ptr<GpuSource>(std::move(gpus));
}

base::Result<std::vector<Gpu>> list_fake_gpus(const std::string& models, const std::string& machine_name) {
  base::Result<std::vector<FakeModel>> parsed = fake_models(models);
  if (!parsed) return base::Error{parsed.error()};
  std::vector<Gpu> gpus;
  for (int i = 0; i < static_cast<int>(parsed->size()); ++i) {
    const FakeModel& model = (*parsed)[i];
    gpus.push_back({.id = stable_id(machine_name, i), .index = i, .model = model.name, .memory_mib = model.memory_mib,
                    .trouble = "", .pci_bus_id = fake_bus_id(i)});
  }
  return gpus;
}

}  // namespace agent::gpu
