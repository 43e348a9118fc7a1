// SPDX-License-Identifier: Apache-2.0
// What the data folder tells the command line: where the server is, and the root key.
#pragma once

#include <string>

#include "client/client.h"

namespace cli {

// Throws std::runtime_error, in one clear line, where the folder is not one of ours.
client::Profile read_profile(const std::string& data, const std::string& region);

}  // namespace cli
