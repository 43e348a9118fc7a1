// SPDX-License-Identifier: Apache-2.0
// Adds 169.254.170.2, where every AWS SDK looks for a container's credentials, to this machine's
// loopback interface. Bridged containers reach it through their default route.
#pragma once

#include <string>

#include "base/result.h"

namespace agent {

// True: this agent or another one added the address; the last agent to end removes it. False: the machine
// has the address of its own. Adding requires CAP_NET_ADMIN.
base::Result<bool> add_loopback_address(const std::string& ipv4);
base::Result<bool> remove_loopback_address(const std::string& ipv4);

// True: a socket of this machine listens or is connected on the address.
bool address_in_use(const std::string& ipv4);

// The first IPv4 address of an interface, such as "docker0"; "" where there is none.
std::string interface_address(const std::string& name);

}  // namespace agent
