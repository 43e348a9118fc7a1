// SPDX-License-Identifier: Apache-2.0
// The attributes of a machine with this engine.
#pragma once

#include <boost/json/value.hpp>

#include "agent/drivers/docker_create.h"
#include "agent/drivers/driver.h"

namespace agent::drivers {

// From the engine's replies to /version and /info.
EngineFacts facts_of(const boost::json::value& version, const boost::json::value& info);
Abilities abilities_of(const boost::json::value& version, const boost::json::value& info);

}  // namespace agent::drivers
