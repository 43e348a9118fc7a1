// SPDX-License-Identifier: Apache-2.0
// A spec with its values checked and its defaults filled in.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "shapes/stoker/pipeline.h"

namespace services::pipelines {

struct Settings {
  std::string name;
  std::string builtin, image, exec, serve;  // one of builtin, exec and serve; "": not this one
  std::map<std::string, std::string> environment;
  std::string cluster;
  int gpus = 0, gpu_memory_mib = 0;  // at most one of them is not 0
  int cpu_units = 0, memory_mib = 0;  // memory 0: no limit
  int min = 0, max = 0;
  int batch = 1, items_per_task = 1, retries = 0;
  base::Duration linger = {}, timeout = {}, idle = {};
  std::string webhook;    // "": none
  int retention_days = 0;  // 0: for ever
  std::string bucket;      // "": the pipeline's default name
  std::vector<std::string> languages;
};

// Throws ValidationException with the name of a member that is unknown or has a value of another type.
shapes::stoker::PipelineSpec parse_spec(std::string_view json);

// Throws ValidationException with all problems.
Settings check_spec(const shapes::stoker::PipelineSpec& spec);

// "5m" as the worker's flags and the spec have it: whole units, the largest that fits.
std::string flag_text(base::Duration duration);

}  // namespace services::pipelines
