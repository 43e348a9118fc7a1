// SPDX-License-Identifier: Apache-2.0
// Ports of a container: as requested, and as bound by the engine.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "agent/drivers/driver.h"
#include "base/result.h"

namespace agent::drivers {

// Adds ExposedPorts to the config and PortBindings to the HostConfig. For host port 0
// the engine chooses one from the kernel's ephemeral range.
base::Result<Nothing> add_ports(const std::vector<shapes::agent::PortMapping>& mappings, boost::json::object& config,
                                boost::json::object& host);

// The bindings of an inspected container. In host mode the engine binds no ports; then these are
// the requested ones, as in ECS.
std::vector<Binding> bindings_of(const boost::json::value& inspected);

}  // namespace agent::drivers
