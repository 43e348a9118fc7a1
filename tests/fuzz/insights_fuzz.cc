// SPDX-License-Identifier: Apache-2.0
// Any bytes as a query of Logs Insights and, after the first zero byte, a log event: an error, or a query
// that runs within its limits.
#include <cstddef>
#include <cstdint>

#include "services/logs/insights/execution.h"
#include "services/logs/insights/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace services::logs::insights;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t zero = input.find('\0');
  auto query = parse_query(input.substr(0, zero), base::from_millis(1'790'000'000'000));
  if (!query) return 0;
  const std::string_view message = zero == std::string_view::npos ? R"({"a":"1","b":{"c":[1,"x"]}})" : input.substr(zero + 1);
  Execution execution(std::move(*query), {.rows = 10, .groups = 10, .buffered_bytes = 1 << 20});
  try {
    for (std::int64_t i = 0; i < 3; ++i) {
      if (!execution.add({.timestamp_ms = i, .ingested_ms = i, .message = message, .stream = "s", .log = "l"})) break;
    }
    execution.finish();
  } catch (const QueryTooLarge&) {
  }
  return 0;
}
