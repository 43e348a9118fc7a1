// SPDX-License-Identifier: Apache-2.0
// Connections to servers on this machine.
#pragma once

#include <chrono>

namespace bench {

using Seconds = std::chrono::duration<double>;

// Connects to 127.0.0.1. Throws if nobody listens.
int connect_to(unsigned short port);
// True once somebody listens there.
bool wait_for_port(unsigned short port, Seconds patience);
// An unused port, for servers that cannot choose one themselves.
unsigned short free_port();

}  // namespace bench
