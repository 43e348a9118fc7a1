// SPDX-License-Identifier: Apache-2.0
// Ports of a container: asked for, and as the engine bound them.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "agent/drivers/driver.h"
#include "base/result.h"

namespace agent::drivers {

// Adds ExposedPorts to the config and PortBindings to the HostConfig. A host port of 0 is the
// engine's choice, from the kernel's range for ports of that kind.
base::Result<Nothing> add_ports(const std::vector<shapes::agent::PortMapping>& mappings, boost::json::object& config,
                                boost::json::object& host);

// Of an inspected container. On the machine's own network nothing is bound by the engine: there
// it is what was asked for, as ECS shows it.
std::vector<Binding> bindings_of(const boost::json::value& inspected);

}  // namespace agent::drivers
