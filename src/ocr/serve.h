// SPDX-License-Identifier: Apache-2.0
// Answers requests, one line each, until its input ends.
#pragma once

#include <string>

#include "ocr/limits.h"
#include "ocr/recogniser.h"

namespace ocr {

// Returns the exit status of the program: 0 at the end of the input, 1 if an answer can't be written, 2 after a line
// that is too long.
int serve(int input, int output, Recogniser& recogniser, const std::string& languages, const Limits& limits);

}  // namespace ocr
