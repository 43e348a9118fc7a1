// SPDX-License-Identifier: Apache-2.0
// Any bytes as the body of a dashboard: an error, or a bounded list of problems.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "services/cloudwatch/dashboards/dashboard_body.h"
#include "wire/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto problems = services::cloudwatch::find_body_problems({reinterpret_cast<const char*>(data), size});
    if (problems.size() > services::cloudwatch::kMaxBodyProblems) std::abort();
  } catch (const wire::ApiError&) {
  }
  return 0;
}
