// SPDX-License-Identifier: Apache-2.0
// The spec of a pipeline: YAML as the command line reads it, and JSON as the server does.
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "cli/pipeline_spec.h"
#include "services/pipelines/definitions/desired.h"
#include "wire/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    cli::parse_pipeline_spec(text, "f");
  } catch (const std::runtime_error&) {
  }
  try {
    const auto settings = services::pipelines::check_spec(services::pipelines::parse_spec(text));
    services::pipelines::desired_resources(settings, {"111111111111", "us-east-1"}, false);
  } catch (const wire::ApiError&) {
  }
  return 0;
}
