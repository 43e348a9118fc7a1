// SPDX-License-Identifier: Apache-2.0
// The ceiling: Stoker's HTTP server with a handler that only gives the body back.
#pragma once

namespace bench {

// Prints where it listens, and serves until SIGTERM.
int run_echo_server();

}  // namespace bench
