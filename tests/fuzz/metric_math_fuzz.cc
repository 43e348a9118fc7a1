// SPDX-License-Identifier: Apache-2.0
// Any bytes as a metric math expression and as a SEARCH query: an error, or a value.
#include <cstddef>
#include <cstdint>

#include "services/cloudwatch/math/math_program.h"
#include "services/cloudwatch/math/metric_search.h"
#include "wire/error.h"

using namespace services::cloudwatch;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const base::Time start = base::from_seconds(1800000000);
  MathInput input{.range = {start, start + std::chrono::minutes(5), 60}, .metrics = {}};
  input.metrics["m1"] = {.label = "m1", .period_s = 60, .points = {{start, 1}, {start + std::chrono::minutes(2), 0}}};
  input.metrics["m2"] = {.label = "m2", .period_s = 120, .points = {{start, -1}}};
  input.search = [](const MathSearch&) { return MathArray(2); };
  try {
    if (!text.empty()) MathProgram::compile({{"m1", ""}, {"m2", ""}, {"e1", text}}).evaluate(input);
  } catch (const wire::ApiError&) {
  }
  try {
    parse_search(text).matches({"AWS/SQS", "NumberOfMessagesSent", {{"QueueName", "jobs-1"}}});
  } catch (const MathError&) {
  }
  return 0;
}
