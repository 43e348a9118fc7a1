// SPDX-License-Identifier: Apache-2.0
// The server's address and the key: those of a server elsewhere, or from the data folder.
#pragma once

#include <string>

#include "cli/commands.h"
#include "client/client.h"

namespace cli {

// Throws std::runtime_error when the folder has no readable credentials.
client::Profile read_profile(const Options& options);
client::Profile read_profile(const std::string& data, const std::string& region);

}  // namespace cli
