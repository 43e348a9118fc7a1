// SPDX-License-Identifier: Apache-2.0
// The server that a command calls, and the defaults of its region and cluster. The first of these that names one:
//   1. --endpoint, --context, --profile, --data
//   2. STOKER_CONTEXT, STOKER_DATA
//   3. AWS_ENDPOINT_URL, or the endpoint_url of AWS_PROFILE
//   4. the context that `stoker context use` chose
//   5. the data folder of a server on this machine
//   6. the endpoint_url of AWS's default profile
// Where an address of 3 is that of the data folder's server, the data folder is used: its socket needs no network.
#pragma once

#include "cli/commands.h"
#include "client/settings.h"

namespace cli {

// Sets `remote`, `region` and `cluster`. Throws std::runtime_error for a context, profile or key that does not exist.
Options connected(Options options, const client::Environment& environment);

}  // namespace cli
