// SPDX-License-Identifier: Apache-2.0
// The spec of a pipeline in YAML, as the command line reads it.
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "cli/pipeline_spec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    cli::parse_pipeline_spec({reinterpret_cast<const char*>(data), size}, "fuzz.yaml");
  } catch (const std::runtime_error&) {
  }
  return 0;
}
