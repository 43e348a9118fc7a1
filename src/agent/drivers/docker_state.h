// SPDX-License-Identifier: Apache-2.0
// What the engine says of a container, in the driver's terms.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <vector>

#include "agent/drivers/driver.h"

namespace agent::drivers {

// All of these read the answer to an inspect call.
Phase phase_of(const boost::json::value& inspected);
// Where it has ended, or could not be started.
std::optional<Exit> exit_of(const boost::json::value& inspected);
Started started_of(const boost::json::value& inspected);
std::string address_of(const boost::json::value& inspected);
std::string health_of(const boost::json::value& inspected);

// Those of the engine's list that are containers of tasks, without the tasks' holders.
std::vector<Found> found_in(const boost::json::value& list);
std::vector<std::string> ids_in(const boost::json::value& list);

// A sample of the processor time that a container has used.
struct CpuSample {
  std::int64_t used_ns = 0;
  base::Time at;
};
CpuSample cpu_sample(const boost::json::value& stats);
// The sample before this one that came with it; at 0 where there is none.
CpuSample cpu_sample_before(const boost::json::value& stats);
double cpu_percent(const CpuSample& before, const CpuSample& now);
// Without what the kernel only caches of files and gives back when asked.
std::int64_t memory_bytes(const boost::json::value& stats);

}  // namespace agent::drivers
