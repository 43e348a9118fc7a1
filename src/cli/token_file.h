// SPDX-License-Identifier: Apache-2.0
// The file of `stoker agent --token-file`: the output of `stoker token`, or the token alone.
#pragma once

#include <string>

#include "cli/arguments.h"

namespace cli {

struct TokenFile {
  std::string token;
  std::string join, cluster, region, ca_file;  // of the command that `stoker token` prints; "" where it has none
};
TokenFile parse_token_file(const std::string& text);

// Reads the file, if there is one, and takes from it what the command line leaves out. Throws UsageError without an
// address of the server.
void use_token_file(AgentArguments& agent);

}  // namespace cli
