// SPDX-License-Identifier: Apache-2.0
// Any bytes as a log event in the Embedded Metric Format: no metrics, or metrics within the limits.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "services/logs/emf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using services::logs::EmfLimits;
  services::logs::JsonTape tape;
  const base::Time now = base::from_millis(1'790'000'000'000);
  const auto metrics = services::logs::read_emf({reinterpret_cast<const char*>(data), size}, now, now, tape);
  std::size_t count = 0;
  for (const auto& input : metrics.data) {
    if (!input.MetricData || input.MetricData->empty() || input.Namespace.empty()) std::abort();
    count += input.MetricData->size();
  }
  if (count > EmfLimits::kMaxData) std::abort();
  return 0;
}
