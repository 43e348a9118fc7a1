// SPDX-License-Identifier: Apache-2.0
// The spec of a pipeline, as the server reads it.
#include <cstdint>
#include <string_view>

#include "services/pipelines/definitions/desired.h"
#include "wire/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto settings = services::pipelines::check_spec(services::pipelines::parse_spec(text));
    services::pipelines::desired_resources(settings, {"111111111111", "us-east-1"}, false);
  } catch (const wire::ApiError&) {
  }
  return 0;
}
