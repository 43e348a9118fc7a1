// SPDX-License-Identifier: Apache-2.0
// The load of simulated GPUs: a file that people and tests write, read again when it changes.
//
//   {"0": {"utilization": 80, "memory_used_mib": 1000},
//    "1": {"healthy": false, "trouble": "fell off the bus"},
//    "GPU-...": [{"utilization": 95, "seconds": 20}, {"utilization": 5, "seconds": 10}]}
//
// Keys are indexes or ids. A list repeats, starting when the file is read. All members are optional;
// a GPU without an entry is idle and healthy.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace agent::gpu {

struct FakeState {
  int utilization_percent = 0;
  int memory_utilization_percent = 0;
  std::int64_t memory_used_mib = 0;
  bool healthy = true;
  std::string trouble;
  std::int64_t xid = 0;
  // Default: derived from the utilization.
  std::optional<int> temperature_celsius = {}, sm_clock_mhz = {};
  std::optional<double> power_watts = {};
};

struct FakeStep {
  FakeState state;
  base::Duration lasts{1000};
};

using FakeSteps = std::map<std::string, std::vector<FakeStep>>;

base::Result<FakeSteps> parse_fake_script(const std::string& text);

class FakeScript {
 public:
  explicit FakeScript(std::filesystem::path file) : file_(std::move(file)) {}

  // Reads the file if it has changed. An invalid file is logged once; the last valid one stays in use.
  void refresh(base::Time now);
  FakeState state(int index, const std::string& id, base::Time now) const;

 private:
  std::filesystem::path file_;
  std::string text_;
  base::Time read_at_;
  FakeSteps steps_;
};

}  // namespace agent::gpu
