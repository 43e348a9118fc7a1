// SPDX-License-Identifier: Apache-2.0
// Translates the engine's description of a container.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <vector>

#include "agent/drivers/driver.h"

namespace agent::drivers {

// These read the reply to an inspect call.
Phase phase_of(const boost::json::value& inspected);
// None unless the container has ended or could not be started.
std::optional<Exit> exit_of(const boost::json::value& inspected);
Started started_of(const boost::json::value& inspected);
std::string address_of(const boost::json::value& inspected);
std::string health_of(const boost::json::value& inspected);

// The task containers in the engine's list, without holders.
std::vector<Found> found_in(const boost::json::value& list);
std::vector<std::string> ids_in(const boost::json::value& list);

// The CPU time that a container has used.
struct CpuSample {
  std::int64_t used_ns = 0;
  base::Time at;
};
CpuSample cpu_sample(const boost::json::value& stats);
// The previous sample in the same reply; time 0 when there is none.
CpuSample cpu_sample_before(const boost::json::value& stats);
double cpu_percent(const CpuSample& before, const CpuSample& now);
// Without reclaimable file cache.
std::int64_t memory_bytes(const boost::json::value& stats);

}  // namespace agent::drivers
