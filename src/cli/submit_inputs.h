// SPDX-License-Identifier: Apache-2.0
// The files that `stoker submit` sends, and where their results go.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/commands.h"

namespace cli {

struct SubmitInput {
  std::string path;    // "-": standard input
  std::string name;    // without its folders
  std::string output;  // the file of the result
};

// Throws std::runtime_error for a folder, a missing or too large file, and two files with the same name: before
// anything is sent.
std::vector<SubmitInput> check_inputs(const SubmitArguments& arguments);

struct OpenInput {
  std::shared_ptr<const base::File> file;  // shared with the request that sends it
  std::string sha256;                      // in hexadecimal
};

// Standard input and pipes are first copied to an unnamed file. Throws std::exception.
OpenInput open_input(const SubmitInput& input, int standard_input);

}  // namespace cli
