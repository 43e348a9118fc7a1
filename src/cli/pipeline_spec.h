// SPDX-License-Identifier: Apache-2.0
// The spec of a pipeline in YAML. Unknown and repeated keys are errors, with their line.
#pragma once

#include <string>
#include <string_view>

#include "shapes/stoker/pipeline.h"

namespace cli {

inline constexpr std::size_t kMaxSpecBytes = 256 * 1024;

// `source` is the file's name, for errors. Throws std::runtime_error with one line: "ocr.yaml:3: unknown key 'gpu'".
shapes::stoker::PipelineSpec parse_pipeline_spec(std::string_view text, const std::string& source);

// Reads a file; "-" is standard input.
shapes::stoker::PipelineSpec read_pipeline_spec(const std::string& file);

}  // namespace cli
