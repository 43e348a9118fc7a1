// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace agent::drivers {

// Whether `path` is `folder` or below it. Both are canonical.
inline bool is_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace agent::drivers
