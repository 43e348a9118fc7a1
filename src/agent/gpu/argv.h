// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace agent::gpu {

// The null-terminated array that exec and posix_spawn take. It points into `texts`.
inline std::vector<char*> to_argv(std::vector<std::string>& texts) {
  std::vector<char*> argv;
  for (std::string& text : texts) argv.push_back(text.data());
  argv.push_back(nullptr);
  return argv;
}

}  // namespace agent::gpu
