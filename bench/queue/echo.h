// SPDX-License-Identifier: Apache-2.0
// The upper bound: Stoker's HTTP server with a handler that returns the body.
#pragma once

namespace bench {

// Prints its address, and serves until SIGTERM.
int run_echo_server();

}  // namespace bench
