// SPDX-License-Identifier: Apache-2.0
// One file, for people.
#pragma once

#include <string>

#include "ocr/limits.h"
#include "ocr/recogniser.h"

namespace ocr {

// Prints the text on standard output and a line about each page on standard error; or all of it as JSON. Returns the exit
// status.
int recognise_once(Recogniser& recogniser, const std::string& path, const std::string& languages, const Limits& limits, bool json);

}  // namespace ocr
