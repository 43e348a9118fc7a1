// SPDX-License-Identifier: Apache-2.0
// The process that decodes and recognises images. It has loaded its models before it sees the first file; from then on
// it can only compute. A file that crashes it, or takes it over, reaches nothing else.
#pragma once

#include <string>
#include <vector>

#include "ocr/limits.h"

namespace ocr {

inline constexpr char kEngineCommand[] = "engine";  // the first argument; not for people

// The arguments behind the program's own name.
std::vector<std::string> engine_arguments(const std::string& languages, const Limits& limits);

// Answers orders from the socket that is its standard input, until that is closed. Does not return.
[[noreturn]] void run_engine(const std::vector<std::string>& arguments);

}  // namespace ocr
