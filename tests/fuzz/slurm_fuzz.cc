// SPDX-License-Identifier: Apache-2.0
// Any bytes as the output of Slurm's commands, and as a duration in user data.
#include <cstddef>
#include <cstdint>

#include "control/providers/agent_words.h"
#include "control/providers/slurm_queue.h"

using namespace control::providers;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  parse_job_id(text);
  for (const auto& [id, job] : parse_jobs(text)) {
    phase_of(job.state);
    end_text(id, job);
  }
  parse_agent_duration(text);
  return 0;
}
