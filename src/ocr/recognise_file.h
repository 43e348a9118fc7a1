// SPDX-License-Identifier: Apache-2.0
// One file: find its format, go through its pages, put the result together.
#pragma once

#include <string>
#include <variant>

#include "ocr/answer.h"
#include "ocr/limits.h"
#include "ocr/recogniser.h"
#include "ocr/request.h"

namespace ocr {

using Outcome = std::variant<Result, Failure>;

// Takes until limits.timeout from now. Never throws for what is wrong with a file.
Outcome recognise_file(Recogniser& recogniser, const std::string& path, const std::string& languages, const Limits& limits);

}  // namespace ocr
