// SPDX-License-Identifier: Apache-2.0
// Any bytes as a record of a container's log: a line or an error; the parts of a line are inside the record.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "agent/drivers/log_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view record(reinterpret_cast<const char*>(data), size);
  const auto line = agent::drivers::parse_log_line(record);
  const auto time = agent::drivers::parse_log_time(record);
  if (line.has_value() != time.has_value()) std::abort();
  if (!line) return 0;
  if (line->text.size() >= size || !record.ends_with(line->text)) std::abort();
  if (std::chrono::floor<base::Duration>(*time) != line->at) std::abort();
  return 0;
}
