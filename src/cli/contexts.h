// SPDX-License-Identifier: Apache-2.0
// Named servers: $XDG_CONFIG_HOME/stoker/contexts, a file of the format of ~/.aws/config that only its owner can read.
#pragma once

#include <string>
#include <vector>

#include "client/settings.h"

namespace cli {

// `stoker context use local` returns to the server of this machine.
inline constexpr char kLocalContext[] = "local";

struct Context {
  std::string name;
  std::string endpoint;
  std::string region, cluster;  // "": the defaults
  std::string profile;          // of AWS, for its key; "": `access_key`, or a key in the AWS CLI's order
  std::string access_key, secret_key;
  std::string ca_file;
};

struct Contexts {
  std::string current;  // "": none
  std::vector<Context> all;  // by name

  const Context* find(const std::string& name) const;
};

std::string contexts_path(const client::Environment& environment);
// No contexts if there is no such file.
Contexts read_contexts(const std::string& path);
// Throws std::exception if the file cannot be written.
void write_contexts(const std::string& path, const Contexts& contexts);

// "" or the error: letters, digits, ".", "_" and "-".
std::string check_context_name(const std::string& name);

}  // namespace cli
