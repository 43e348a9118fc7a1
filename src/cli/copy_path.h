// SPDX-License-Identifier: Apache-2.0
// The paths of `stoker cp`.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace cli {

// "TASK:PATH"; nullopt for a local path: one that has no colon, or begins with "/" or ".".
struct RemotePath {
  std::string task, path;
};
std::optional<RemotePath> remote_path(const std::string& text);

// A path as tar needs it: a folder, and a name in it. The name "." stands for the contents of the folder.
struct SplitPath {
  std::string folder, name;
};
// Of an absolute path in a container, or of a local one.
SplitPath split_path(std::string path);

// A text as it stands in the pattern of tar's --transform, and as it stands in the replacement.
std::string transform_pattern(const std::string& text);
std::string transform_replacement(const std::string& text);

}  // namespace cli
