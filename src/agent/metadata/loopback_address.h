// SPDX-License-Identifier: Apache-2.0
// 169.254.170.2, where every AWS SDK looks for a container's credentials: made an address of this
// machine's loopback interface, which bridged containers reach through their default route.
#pragma once

#include <string>

#include "base/result.h"

namespace agent {

// True: an agent added it, this one or another. Whoever ends last, with nobody using it, takes it away.
// False: this machine had it of its own. Needs CAP_NET_ADMIN to add.
base::Result<bool> add_loopback_address(const std::string& ipv4);
base::Result<bool> remove_loopback_address(const std::string& ipv4);

// Some socket of this machine listens or talks on it.
bool address_in_use(const std::string& ipv4);

// The first IPv4 address of an interface, "docker0"; "" where there is none.
std::string interface_address(const std::string& name);

}  // namespace agent
